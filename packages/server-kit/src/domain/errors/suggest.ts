/** The known name that was probably meant, if one is similar enough. */
export function suggest(name: string, known: Iterable<string>): string | undefined {
  const wanted = normalize(name);
  let best: string | undefined;
  // Up to a third of the letters may differ, at least one; none in names of one or two letters.
  let least = Math.max(wanted.length > 2 ? 1 : 0, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    // Punctuation is not compared, so a candidate must not have too much of it.
    if (candidate.length > 2 * name.length + 2) continue;
    const other = normalize(candidate);
    if (Math.abs(other.length - wanted.length) >= least) continue;
    const distance = distanceBetween(wanted, other);
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** As part of a sentence: " (did you mean --http?)", or nothing. */
export function toSuggestion(name: string, known: Iterable<string>): string {
  const found = suggest(name, known);
  return found === undefined ? "" : ` (did you mean ${found}?)`;
}

/** dbPath, db_path and --db-path are equal. Only ASCII punctuation is removed: other characters may be letters. */
const normalize = (name: string): string =>
  name
    .normalize()
    .toLowerCase()
    .replaceAll(/[ -/:-@[-`{-~]/g, "");

/** Edit distance: insertions, deletions, replacements and swaps of neighbours. */
function distanceBetween(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (previous[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (previous[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforePrevious[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    [beforePrevious, previous] = [previous, row];
  }
  return previous[b.length] ?? 0;
}

/** Characters that suggest a regular expression was given where plain text is expected. */
const SIGNS = /[.\])][*+?]|[|^$\\]|\[.*\]/;

/** Whether a query looks like a regular expression, where only plain text is searched. */
export const looksLikePattern = (query: string): boolean => SIGNS.test(query);
