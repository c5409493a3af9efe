import { createHash, randomBytes } from "node:crypto";
import { basename, sep } from "node:path";
import { TEMPORARY_SUFFIX } from "@suite/server-kit/domain";

/** In every root from the first change on: what is about to happen, and what there was before. */
export const TRASH_NAME = ".suite-trash";

const LOCK_SUFFIX = `.lock${TEMPORARY_SUFFIX}`;

/** File systems take names of 255 bytes; ours must fit beside one as long as that. */
const MOST_NAME_BYTES = 200;

/** Lies in the directory of the file it will become: only there a rename is atomic. */
export function toTemporaryName(name: string): string {
  const short = Buffer.from(name).subarray(0, MOST_NAME_BYTES).toString("utf8").replaceAll("\uFFFD", "");
  return `.${short}.${randomBytes(6).toString("hex")}${TEMPORARY_SUFFIX}`;
}

/** One for each name, the same to every process. Names that some file systems take for one share it. */
export function toLockName(name: string): string {
  const folded = name.normalize("NFC").toLowerCase();
  return `.${createHash("sha256").update(folded).digest("hex").slice(0, 24)}${LOCK_SUFFIX}`;
}

/** For recovery: records are files, and somebody may have written one by hand. */
export const isTemporaryName = (name: string): boolean =>
  basename(name) === name && /^\.[^\0]*\.[0-9a-f]{12}\.suite-tmp$/.test(name);

/** Whether a name in a directory is this server's own: not for listings, searches or watchers. */
export const isReservedName = (name: string): boolean =>
  name === TRASH_NAME || name.endsWith(TEMPORARY_SUFFIX);

/** One spelling for all that some file system takes for one name: in any case, composed or not. */
const fold = (name: string): string => name.normalize("NFKC").toUpperCase().toLowerCase();

/** A policy for the guard's `protect`: what keeps changes whole and undoable is not changed by tools. */
export function protectReserved(path: string): string | undefined {
  return path.split(sep).some((name) => isReservedName(fold(name)))
    ? "it belongs to this server, which keeps there what can be undone"
    : undefined;
}
