import { readBytesLater, type StopSignal } from "@suite/server-kit/domain";

/** Bytes that a `ByteReader` requests. */
export interface ByteRange {
  readonly position: number;
  readonly length: number;
}

/** An algorithm that requests bytes as it goes: the same code works for bytes in memory and on disk. */
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
