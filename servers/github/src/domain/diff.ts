import { shownSize } from "@suite/server-kit/domain";

import { fitText } from "./fit-text.ts";

/** A unified diff, file by file, each as it is. */
export function splitDiff(diff: string): string[] {
  return diff.split(/^(?=diff --git )/m).filter((part) => part !== "");
}

/** Whether a file of a diff has this path, before or after. */
export const isDiffOf = (file: string, path: string): boolean =>
  file.startsWith(`diff --git a/${path} `) || (file.split("\n", 1)[0] ?? "").endsWith(` b/${path}`);

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
