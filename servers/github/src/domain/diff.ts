import { fitText, shownSize } from "@suite/server-kit/domain";

/** Splits a unified diff by file. Without the m flag, which would also match after a \r within a line. */
export function splitDiff(diff: string): string[] {
  return diff.split(/(?<=\n|^)(?=diff --git )/).filter((part) => part !== "");
}

/** Whether a file of a diff has this path, before or after. */
export function isDiffOf(file: string, path: string): boolean {
  const [line = ""] = file.split("\n", 1);
  return [quoteAsGit, String].some(
    (write) =>
      line.startsWith(`diff --git ${write(`a/${path}`)} `) || line.endsWith(` ${write(`b/${path}`)}`),
  );
}

const ESCAPES: { readonly [character: string]: string } = {
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
};

/** Git quotes names in diffs that are not plain ASCII, unless core.quotePath says otherwise. */
function quoteAsGit(name: string): string {
  const written = Array.from(Buffer.from(name), (byte) => {
    const character = String.fromCodePoint(byte);
    const isPlain = byte >= 0x20 && byte < 0x7f;
    return ESCAPES[character] ?? (isPlain ? character : `\\${byte.toString(8).padStart(3, "0")}`);
  }).join("");
  return written === name ? name : `"${written}"`;
}

/** The index of a file, and an offset in it. */
export type DiffPlace = readonly [file: number, offset: number];

/** As many files as fit. If the first one alone is too long, a part of it. */
export function takeDiff(
  files: readonly string[],
  [first, start]: DiffPlace,
  budget: number,
): { readonly text: string; readonly next?: DiffPlace } {
  let [at, offset] = [first, start];
  let text = "";
  for (let file = files[at]; file !== undefined; file = files[at]) {
    const rest = file.slice(offset);
    const room = budget - shownSize(text);
    if (shownSize(rest) <= room) {
      text += rest;
      [at, offset] = [at + 1, 0];
      continue;
    }
    if (text === "") {
      text = fitText(rest, 0, room);
      offset += text.length;
    }
    break;
  }
  return at < files.length ? { text, next: [at, offset] } : { text };
}
