import { read, readSync } from "node:fs";
import { promisify } from "node:util";

import type { StopSignal } from "../processes/stop-signal.ts";

const readLater = promisify(read);

/** As many bytes as are there, up to `length`. A single read may give less than it could. */
export function readBytes(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(fd, bytes, filled, length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled === length ? bytes : bytes.subarray(0, filled);
}

/** The same without holding up others, for files that may be on a slow disk or huge. */
export async function readBytesLater(
  fd: number,
  position: number,
  length: number,
  signal: StopSignal,
): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    signal.throwIfAborted();
    const { bytesRead } = await readLater(fd, bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** Bytes that work asks for. */
export interface ByteRange {
  readonly position: number;
  readonly length: number;
}

/** Work that asks for bytes as it goes: it is written once, whether these are in memory already or come from a disk. */
export type ByteReader<T> = Generator<ByteRange, T, Buffer>;

export function readFromMemory<T>(reader: ByteReader<T>, whole: Buffer): T {
  let step = reader.next();
  while (!step.done) {
    const { position, length } = step.value;
    step = reader.next(whole.subarray(position, position + length));
  }
  return step.value;
}

export async function readFromDisk<T>(reader: ByteReader<T>, fd: number, signal: StopSignal): Promise<T> {
  let step = reader.next();
  while (!step.done) {
    step = reader.next(await readBytesLater(fd, step.value.position, step.value.length, signal));
  }
  return step.value;
}
