import { toList } from "./wording.ts";

const MAX_COMPARED = 64;

/** The message for a model that used an unknown name. */
export function suggestName(name: string, known: readonly string[]): string {
  if (known.length === 0) return "unknown property; none are allowed";
  const closest = findClosest(name, known);
  const hint = closest === undefined ? "" : ` did you mean ${JSON.stringify(closest)}?`;
  return `unknown property;${hint} Known: ${toList(known)}`.replace("; Known", "; known");
}

function findClosest(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_COMPARED) return undefined;
  const wanted = simplify(name);
  let closest: string | undefined;
  let least = Math.ceil(wanted.length / 3) + 1;
  for (const candidate of known) {
    if (candidate.length > MAX_COMPARED) continue;
    const distance = editDistance(wanted, simplify(candidate));
    if (distance >= least) continue;
    least = distance;
    closest = candidate;
  }
  return closest;
}

/** `filePath`, `file-path` and `file_path` are the same word to a model. */
function simplify(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, "");
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
