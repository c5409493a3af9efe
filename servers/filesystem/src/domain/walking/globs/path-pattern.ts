import { parseClass } from "./character-class.ts";
import { parseName, type NameTest } from "./name-pattern.ts";

/** Whether a path, split into its names, matches. */
export type PathTest = (names: readonly string[]) => boolean;

const ANY_DEPTH = "**";
/** Git treats three or more stars like two. */
const STARS = /^\*{2,}$/;
type PathPart = NameTest | typeof ANY_DEPTH;

/** A pattern with slashes. `**` as a whole name matches any number of directories; at the end, everything below. */
export function parsePathPattern(glob: string): PathTest | undefined {
  const globs = splitNames(glob);
  if (!globs) return undefined;
  const parts: PathPart[] = [];
  for (const name of globs) {
    if (STARS.test(name)) {
      if (parts.at(-1) !== ANY_DEPTH) parts.push(ANY_DEPTH);
      continue;
    }
    const pattern = parseName(name);
    if (!pattern) return undefined;
    parts.push(pattern.test);
  }
  // At the end, `**` must match at least one name.
  if (parts.at(-1) === ANY_DEPTH) parts.push(() => true);
  return (names) => matchParts(names, parts);
}

/**
 * A slash in brackets does not separate names. undefined at the first `[` without a `]`: continuing after each of many would
 * take quadratic time.
 */
function splitNames(glob: string): string[] | undefined {
  const names = [""];
  const characters = Array.from(glob);
  for (let index = 0; index < characters.length; index += 1) {
    const start = index;
    const isEscaped = characters[index] === "\\";
    if (isEscaped) index += 1;
    else if (characters[index] === "[") {
      const found = parseClass(characters, index + 1);
      if (!found) return undefined;
      index = found.end;
    }
    if (characters[index] === "/" && index - start <= 1) {
      // In git, `**\/` requires a name, unlike `**/`.
      if (isEscaped && STARS.test(names.at(-1) ?? "")) names.push("*");
      names.push("");
    } else names[names.length - 1] += characters.slice(start, index + 1).join("");
  }
  return names;
}

/** As with stars in a name, backtracking to the last `**` is enough. */
function matchParts(names: readonly string[], parts: readonly PathPart[]): boolean {
  let [at, next] = [0, 0];
  let [lastDeep, stretchedTo] = [-1, 0];
  while (at < names.length) {
    const part = parts[next];
    if (part === ANY_DEPTH) {
      lastDeep = next;
      stretchedTo = at;
      next += 1;
    } else if (part !== undefined && part(names[at] as string)) {
      at += 1;
      next += 1;
    } else if (lastDeep >= 0) {
      stretchedTo += 1;
      at = stretchedTo;
      next = lastDeep + 1;
    } else return false;
  }
  return next === parts.length;
}
