import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync } from "node:fs";
import { readBytes, writeAll, writeNewFile } from "@suite/server-kit/domain";
import type { Recorded } from "../change-record.ts";
import { type Identity, identifyBriefly, statsOf } from "../identity.ts";
import type { OpenChange } from "../open-change.ts";
import type { OperationType } from "../change-plan.ts";

/** After a crash, our bytes are searched for behind at most this many bytes that other programs appended first. */
const MOST_BETWEEN = 16 * 1024 * 1024;
const { O_APPEND, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants;

/** Stores the bytes that are added or cut off in the change's folder; `identity` is that of the file before. */
const prepare: OperationType<"append" | "cut">["prepare"] = ({ bytes }, { path, image }, change) => {
  const { at } = change.target(path);
  // Opens the target to find out early whether it is writable.
  withFile(at, () => writeNewFile({ path: change.image(image) }, bytes));
  return { identity: identifyBriefly(at), bytes: bytes.length };
};

/** Appends in place: what other programs append meanwhile is kept, and their open descriptors stay valid. */
export const append: OperationType<"append"> = {
  record: ({ path }, image, toRecorded) => ({ kind: "append", path: toRecorded(path), image }),

  prepare,

  perform({ path, image }, change) {
    const bytes = readFileSync(change.image(image));
    withFile(change.target(path).at, (fd) => {
      const before = fstatSync(fd).size;
      try {
        writeAll(fd, bytes);
        fsyncSync(fd);
      } catch (error) {
        takeOffPart(fd, before, bytes);
        throw error;
      }
    });
  },

  isDone: (recorded, change) =>
    withAdded(recorded, change, (fd, bytes, { size }) => {
      const since = Math.min(fstatSync(fd).size - size, bytes.length + MOST_BETWEEN);
      return since >= bytes.length && readBytes(fd, size, since).includes(bytes);
    }),

  abandon(recorded, change, isCommitted) {
    // Before the commit, nothing of ours was written: bytes that look like it are another program's.
    if (isCommitted) withAdded(recorded, change, (fd, bytes, { size }) => takeOffPart(fd, size, bytes));
  },

  revert: (recorded, change) => withAdded(recorded, change, takeOff),
};

/** Does not disturb others who append: the system puts one after the other. */
export const addToEnd = (path: string, bytes: Buffer): void => withFile(path, (fd) => writeAll(fd, bytes));

/** Cuts off the end of a file that an append had added. */
export const cut: OperationType<"cut"> = {
  record: ({ path }, image, toRecorded) => ({ kind: "cut", path: toRecorded(path), image }),

  prepare,

  perform({ path, image }, change) {
    const bytes = readFileSync(change.image(image));
    const isCut = withFile(change.target(path).at, (fd) => takeOff(fd, bytes));
    // ENOENT makes the plan stale: planning again reports the conflict.
    if (!isCut) throw Object.assign(new Error("The end of the file has changed"), { code: "ENOENT" });
  },

  isDone: (recorded, change) => withAdded(recorded, change, (fd, _, { size }) => fstatSync(fd).size < size),

  revert(recorded, change) {
    withAdded(recorded, change, (fd, bytes) => writeAll(fd, bytes));
    return true;
  },
};

/** Whether a file ends with these bytes, so that they can be cut off. */
export const endsWith = (path: string, bytes: Buffer): boolean =>
  statsOf(path)?.isFile() === true && withFile(path, (fd) => readEnd(fd, bytes.length).equals(bytes));

/** Not atomic: bytes that another program appends between the check and the truncation are cut off instead. */
function takeOff(fd: number, bytes: Buffer): boolean {
  if (!readEnd(fd, bytes.length).equals(bytes)) return false;
  ftruncateSync(fd, fstatSync(fd).size - bytes.length);
  fsyncSync(fd);
  return true;
}

/** Cuts off a partial append. Cuts nothing if the file has other bytes there. */
function takeOffPart(fd: number, before: number, bytes: Buffer): void {
  const added = readBytes(fd, before, Math.min(fstatSync(fd).size - before, bytes.length));
  const isPart = added.length < bytes.length && added.equals(bytes.subarray(0, added.length));
  if (isPart && added.length > 0) ftruncateSync(fd, before);
}

function readEnd(fd: number, length: number): Buffer {
  const { size } = fstatSync(fd);
  return size < length ? Buffer.alloc(0) : readBytes(fd, size - length, length);
}

function withFile<T>(path: string, work: (fd: number) => T): T {
  const fd = openSync(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK);
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

const withAdded = <T>(
  { path, image, identity }: Recorded<"append" | "cut">,
  change: OpenChange,
  work: (fd: number, bytes: Buffer, before: Identity) => T,
): T => {
  if (!identity) throw new Error("The record does not say how the file was before");
  return withFile(change.target(path).at, (fd) => work(fd, readFileSync(change.image(image)), identity));
};
