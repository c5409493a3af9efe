import { isUtf8 } from "node:buffer";
import { lstatSync, readlinkSync, readSync, type Stats } from "node:fs";
import { parse, resolve, sep } from "node:path";

import { codeOf, Fault, type PathGuard, quotePath } from "@suite/server-kit/domain";

const MOST_BYTES = 1024 * 1024;

/** A whole file of git's own, through the guard. */
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
    const bytes = Buffer.alloc(Math.min(Number(file.stats.size) + 1, mostBytes));
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file.fd, bytes, length, bytes.length - length, length);
    }
    return bytes.subarray(0, length);
  } finally {
    file.close();
  }
}

/** The same as text, where what it says decides what git may do: git must find there what we do. */
export function readSmallText(guard: PathGuard, path: string): string {
  const bytes = readSmallFile(guard, path);
  // Git keeps bytes that are no text, and ends every name and value at a NUL.
  if (isUtf8(bytes) && !bytes.includes(0)) return bytes.toString();
  throw new Fault("unsupported", `${quotePath(path)} is not UTF-8 text`, {
    hint: "Correct the file: nothing can be said about what git would do with it.",
  });
}

/** What is there itself, if anything is: nothing, too, where a directory above it has become a file. */
export function findEntry(path: Buffer | string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    if (codeOf(thrown) === "ENOTDIR") return undefined;
    throw thrown;
  }
}

/** The links on the way, each at its real place, and then where they lead: whoever replaces one leads elsewhere. */
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

/** A path of bytes: not every name on the disk is text. */
export const joinBytes = (folder: Buffer | string, name: Buffer): Buffer<ArrayBuffer> =>
  Buffer.concat([Buffer.from(folder), Buffer.from("/"), name]);
