import { fitText, shownSize } from "@suite/server-kit/domain";

/** A unified diff, file by file, each as it is. Without the m flag, for which a \r within a changed line starts one, too. */
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

/** A file of a diff, and how far into it. */
export type DiffPlace = readonly [file: number, offset: number];

/** As many files as fit; one that is too long is continued within. */
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
