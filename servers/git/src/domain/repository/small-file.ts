import { isUtf8 } from "node:buffer";
import { lstatSync, readlinkSync, rmSync, type Stats, writeFileSync } from "node:fs";
import { parse, resolve, sep } from "node:path";

import { codeOf, Fault, type PathGuard, quotePath, readBytes, rename } from "@suite/server-kit/domain";

const MOST_BYTES = 1024 * 1024;

/** Reads a whole file of a git directory, through the guard. */
export function readSmallFile(guard: PathGuard, path: string, mostBytes: number = MOST_BYTES): Buffer {
  const bytes = readStart(guard, path, mostBytes + 1);
  if (bytes.length > mostBytes)
    throw new Fault("too_large", `${quotePath(path)} has more than ${mostBytes} bytes`);
  return bytes;
}

/** The first bytes of such a file. */
export function readStart(guard: PathGuard, path: string, mostBytes: number): Buffer {
  const file = guard.openFile(guard.locateExact(path));
  try {
    return readBytes(file.fd, 0, Math.min(Number(file.stats.size) + 1, mostBytes));
  } finally {
    file.close();
  }
}

/** For files that decide what git may do: refuses content that git could read differently. */
export function readSmallText(guard: PathGuard, path: string): string {
  const bytes = readSmallFile(guard, path);
  // Git keeps bytes that are not UTF-8, and ends every name and value at a NUL.
  if (isUtf8(bytes) && !bytes.includes(0)) return bytes.toString();
  throw new Fault("unsupported", `${quotePath(path)} is not UTF-8 text`, {
    hint: "Correct the file: nothing can be said about what git would do with it.",
  });
}

/** By renaming, so that nobody reads half of it, and a symlink is replaced rather than followed. For one writer at a time. */
export function replaceFile(file: string, content: string, encoding?: BufferEncoding): void {
  const draft = `${file}.new`;
  // A repository may come with anything under this name, and writing to a pipe would block forever.
  rmSync(draft, { force: true, recursive: true });
  writeFileSync(draft, content, { encoding, flag: "wx" });
  rename(draft, file);
}

/** Stats of the entry itself, without following links. Undefined if there is none, even if a directory above it is now a file. */
export function findEntry(path: Buffer | string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    if (codeOf(thrown) === "ENOTDIR") return undefined;
    throw thrown;
  }
}

/** Real paths of all symlinks on the way, then of the target: replacing any of them would change where the path leads. */
export function findSteps(path: string): readonly string[] {
  const links: string[] = [];
  let { root: at } = parse(path);
  for (const names = path.slice(at.length).split(sep); names.length > 0;) {
    const next = resolve(at, names.shift() as string);
    if (!findEntry(next)?.isSymbolicLink()) {
      at = next;
      continue;
    }
    links.push(next);
    const target = readlinkSync(next);
    const { root } = parse(target);
    if (root !== "") at = root;
    names.unshift(...target.slice(root.length).split(sep));
  }
  return [...links, at];
}

/** Joins paths as bytes: names on the disk may not be UTF-8. */
export const joinBytes = (folder: Buffer | string, name: Buffer): Buffer<ArrayBuffer> =>
  Buffer.concat([Buffer.from(folder), Buffer.from("/"), name]);
