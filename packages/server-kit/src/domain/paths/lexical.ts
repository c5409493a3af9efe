import { posix, win32 } from "node:path";

import { Fault } from "../errors/fault.ts";
import { fromFileUri, isFileUri } from "./file-uri.ts";
import { quoteGiven } from "./path-text.ts";
import { findWindowsProblem } from "./windows-names.ts";

export interface GivenPath {
  readonly isAbsolute: boolean;
  /** `.` and `..` are resolved as far as the text alone allows. */
  readonly path: string;
}

const HOME = /^~(?:[/\\]|$)/;
/** PATH_MAX of Linux without its NUL; Windows counts UTF-16 units instead. */
const LONGEST = { posix: 4095, win32: 32_000 };

/**
 * Reads a path as it was given, without touching the disk: a pure function of the text and the platform.
 * `$HOME`, `%2e` and, outside Windows, `\` have no special meaning. `~` is refused: who writes it means a home directory,
 * and would get a directory with that name.
 */
export function parsePath(text: string, platform: NodeJS.Platform): GivenPath {
  const path = isFileUri(text) ? fromFileUri(text, platform) : text;
  const problem = findProblem(path, platform);
  if (problem !== undefined) {
    throw new Fault("invalid_input", `The path ${quoteGiven(text)} cannot be used: ${problem}`, {
      hint: "Give another path: absolute, or relative to an allowed directory.",
    });
  }
  const platformPath = platform === "win32" ? win32 : posix;
  const isAbsolute = platformPath.isAbsolute(path);
  return { isAbsolute, path: isAbsolute ? platformPath.resolve(path) : platformPath.normalize(path) };
}

function findProblem(path: string, platform: NodeJS.Platform): string | undefined {
  if (path === "") return "it is empty";
  if (HOME.test(path)) return "~ is not expanded (a name that is just ~ is written ./~)";
  if (path.includes("\0")) return "it contains a NUL character";
  // The disk would get U+FFFD instead: a different name than the one that was checked.
  if (!path.isWellFormed()) return "it contains half of a surrogate pair";
  const isWindows = platform === "win32";
  if (isWindows ? path.length > LONGEST.win32 : Buffer.byteLength(path) > LONGEST.posix) {
    return "it is too long";
  }
  return isWindows ? findWindowsProblem(path) : undefined;
}
