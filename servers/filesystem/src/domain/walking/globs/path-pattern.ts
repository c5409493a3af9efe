import { parseClass } from "./character-class.ts";
import { parseName, type NameTest } from "./name-pattern.ts";

/** Whether a path fits, given as its names. */
export type PathTest = (names: readonly string[]) => boolean;

const ANY_DEPTH = "**";
/** Three or more mean the same to git. */
const STARS = /^\*{2,}$/;
type PathPart = NameTest | typeof ANY_DEPTH;

/** Names with slashes between them. `**` as a whole name stands for any number of directories, at the end for all below. */
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
  // At the end something must be left for it.
  if (parts.at(-1) === ANY_DEPTH) parts.push(() => true);
  return (names) => matchParts(names, parts);
}

/**
 * A slash between brackets is one of the characters there, though no name has it. Undefined at the first `[` without its
 * `]`: looking on from each of many would take their square in time.
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
      // Git's `**\/` is not `**/`: a name must stand there.
      if (isEscaped && STARS.test(names.at(-1) ?? "")) names.push("*");
      names.push("");
    } else names[names.length - 1] += characters.slice(start, index + 1).join("");
  }
  return names;
}

/** As with the stars in a name: only the last `**` is ever stretched. */
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
