import {
  fromCursor,
  isText,
  type JsonValue,
  type PageEnd,
  type PathGuard,
  type SafePath,
  toPageEnd,
  type WalkedDirectory,
} from "@suite/server-kit/domain";

import { attempt } from "../attempt.ts";
import { readEntries } from "./read-entries.ts";

/** Length of the hash of a name, in letters and digits. */
const LENGTH = 2;
const RADIX = 36;
const MOST = RADIX ** LENGTH;
/** A limit, because many names may be made to have the same hash. */
const MOST_DIRECTORIES = 1000;

/** The cursor after a path. It contains a short landmark of the path, because models copy cursors character by character. */
export const toWalkEnd = (isStopped: boolean, path: string | undefined, about: JsonValue): PageEnd =>
  toPageEnd(isStopped, path, about, path === undefined ? path : [toLandmark(path)]);

export const fromWalkEnd = (
  guard: PathGuard,
  start: SafePath,
  cursor: string | undefined,
  about: JsonValue,
): string | undefined =>
  fromCursor(cursor, about, isText, (short) =>
    findLandmarks(guard, start, (short as readonly JsonValue[] | null)?.[0]),
  );

/** A short hash of a name. */
export function markOf(name: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  }
  return ((hash >>> 0) % MOST).toString(RADIX).padStart(LENGTH, "0");
}

/** The hashes of all names of a path below a start. */
export const toLandmark = (path: string): string => path.split("/").map(markOf).join("");

/** The paths below a start that a landmark may stand for. None if the path no longer exists. */
export function* findLandmarks(
  guard: PathGuard,
  start: SafePath,
  landmark: JsonValue | undefined,
): Generator<string> {
  if (typeof landmark !== "string" || landmark.length % LENGTH !== 0) return;
  const marks = landmark.match(/../g) ?? [];
  const budget = { directories: MOST_DIRECTORIES };
  const directory = guard.walkDirectory(start);
  try {
    yield* search(directory, "", marks, budget);
  } finally {
    directory.close();
  }
}

function* search(
  directory: WalkedDirectory,
  above: string,
  [mark, ...below]: readonly string[],
  budget: { directories: number },
): Generator<string> {
  if (mark === undefined || budget.directories === 0) return;
  budget.directories -= 1;
  // A directory that is unreadable or gone cannot contain the path.
  for (const { name, kind } of attempt(() => readEntries(directory.at())) ?? []) {
    if (markOf(name) !== mark) continue;
    if (below.length === 0) yield above + name;
    else if (kind === "directory") {
      const child = attempt(() => directory.enter(name));
      try {
        if (child) yield* search(child, `${above}${name}/`, below, budget);
      } finally {
        child?.close();
      }
    }
  }
}
