import { crc32, inflateRawSync } from "node:zlib";

import { DocumentError } from "./document-error.ts";

const MOST_ENTRIES = 10_000;
const MiB = 1024 * 1024;
const MOST_UNPACKED = 128 * MiB;
const MOST_UNPACKED_IN_ALL = 256 * MiB;
const END = 0x06054b50;
const LISTED = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const LONGEST_COMMENT = 0xffff;

interface Entry {
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly unpacked: number;
  readonly offset: number;
}

/** The entries of a ZIP archive in memory. Names are only compared with names, never used as paths. */
export class Archive {
  readonly #bytes: Buffer;
  readonly #entries = new Map<string, Entry>();
  #room = MOST_UNPACKED_IN_ALL;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    try {
      this.#list();
    } catch (thrown) {
      throw thrown instanceof RangeError ? createDamaged("its list of parts is cut off") : thrown;
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** Throws if the archive does not have it, or if it is larger than it may be. */
  read(name: string): Uint8Array {
    const entry = this.#entries.get(name);
    if (!entry) throw createDamaged(`it has no ${JSON.stringify(name.slice(0, 100))}`);
    if (entry.isEncrypted) throw createLocked();
    if (entry.unpacked > Math.min(MOST_UNPACKED, this.#room)) throw createTooLarge();
    this.#room -= entry.unpacked;
    const content = this.#unpack(entry);
    if (content.length !== entry.unpacked || crc32(content) !== entry.crc)
      throw createDamaged("a part is not what its list of parts says");
    return content;
  }

  /** The same, or undefined if the archive does not have it. */
  find(name: string): Uint8Array | undefined {
    return this.has(name) ? this.read(name) : undefined;
  }

  #unpack({ offset, packed, unpacked, method }: Entry): Uint8Array {
    const bytes = this.#bytes;
    try {
      if (bytes.readUInt32LE(offset) !== LOCAL) throw new RangeError("No entry");
      const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
      const content = bytes.subarray(start, start + packed);
      if (method === 0) return content;
      if (method !== 8) throw new RangeError("Unknown compression");
      // Not a byte more than the list says, whatever is in there.
      return inflateRawSync(content, { maxOutputLength: Math.max(unpacked, 1) });
    } catch {
      throw createDamaged("a part cannot be unpacked");
    }
  }

  #list(): void {
    const bytes = this.#bytes;
    const least = Math.max(0, bytes.length - END_BYTES - LONGEST_COMMENT);
    let end = bytes.length - END_BYTES;
    while (end >= least && bytes.readUInt32LE(end) !== END) end -= 1;
    if (end < least) throw createDamaged("its end is missing");
    const count = bytes.readUInt16LE(end + 10);
    if (count > MOST_ENTRIES) throw createTooLarge();
    let at = bytes.readUInt32LE(end + 16);
    for (let index = 0; index < count; index += 1) {
      if (bytes.readUInt32LE(at) !== LISTED) throw createDamaged("its list of parts is broken");
      const nameEnd = at + 46 + bytes.readUInt16LE(at + 28);
      const name = bytes.toString("utf8", at + 46, nameEnd);
      // Programs disagree on which of two counts, so a person might see another than the model.
      if (this.#entries.has(name)) throw createDamaged("two parts have one name");
      this.#entries.set(name, {
        isEncrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
        method: bytes.readUInt16LE(at + 10),
        crc: bytes.readUInt32LE(at + 16),
        packed: bytes.readUInt32LE(at + 20),
        unpacked: bytes.readUInt32LE(at + 24),
        offset: bytes.readUInt32LE(at + 42),
      });
      at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    }
  }
}

const createDamaged = (how: string): DocumentError =>
  new DocumentError("unsupported", `is damaged or incomplete: ${how}`);

const createTooLarge = (): DocumentError =>
  new DocumentError("too_large", "unpacks to more than may be read of a document");

export const createLocked = (): DocumentError =>
  new DocumentError("unsupported", "is encrypted", "Ask for a copy without a password.");
