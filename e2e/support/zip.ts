import { crc32, deflateRawSync } from "node:zlib";

type Content = string | Uint8Array;

interface Lies {
  /** What the list says of the size of each entry. */
  readonly size?: number;
  readonly count?: number;
  readonly isEncrypted?: boolean;
}

/** A ZIP archive of these entries. Names may repeat. */
export function toZip(
  entries: readonly (readonly [name: string, content: Content])[],
  lies: Lies = {},
): Buffer {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of entries) {
    const bytes = Buffer.from(content as string);
    const packed = deflateRawSync(bytes);
    const [path, own] = [Buffer.from(name), Buffer.alloc(26)];
    own.writeUInt16LE(20, 0);
    own.writeUInt16LE(lies.isEncrypted ? 1 : 0, 2);
    own.writeUInt16LE(8, 4);
    own.writeUInt32LE(crc32(bytes), 10);
    own.writeUInt32LE(packed.length, 14);
    own.writeUInt32LE(lies.size ?? bytes.length, 18);
    own.writeUInt16LE(path.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    parts.push(Buffer.concat([Buffer.from("PK\u0003\u0004"), own, path, packed]));
    list.push(Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\0"), own, place, path]));
    offset += 30 + path.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006");
  end.writeUInt16LE(lies.count ?? entries.length, 10);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...list, end]);
}
