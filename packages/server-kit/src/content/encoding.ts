import { isUtf8 } from "node:buffer";

export type EncodingName = "utf-8" | "utf-16le" | "utf-16be" | "latin1";

export interface Encoding {
  readonly name: string;
  /** Bytes of a code unit: positions are multiples of it. */
  readonly unit: 1 | 2;
  /** What a file may begin with to say that it is in this encoding. */
  readonly mark: Buffer;
  /** Where a line ends, in bytes as they are in the file. */
  readonly newline: Buffer;
  /** Nothing, if the bytes are not text in this encoding: no character is ever replaced by another. */
  decode(bytes: Buffer): string | undefined;
  /** Whether a text may be cut in front of the byte at this position. */
  isBoundary(bytes: Buffer, position: number): boolean;
  /** Where a line may not be cut anywhere: what its bytes mean depends on those before, to its start or to an escape. */
  readonly cuts?: "forwards" | "never";
}

const isHighByteOfTrail = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xfc) === 0xdc;

const EXACTLY = { fatal: true, ignoreBOM: true };

/** In two steps: in one, Node takes windows-1252 for Latin-1, and its quotes, dashes and euro signs come out as controls. */
export function decodeBytes(
  bytes: Uint8Array,
  label: string,
  options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean },
): string {
  const decoder = new TextDecoder(label, options);
  return decoder.decode(bytes, { stream: true }) + decoder.decode();
}

function decodeExactly(bytes: Buffer, label: string): string | undefined {
  try {
    return decodeBytes(bytes, label, EXACTLY);
  } catch {
    return undefined;
  }
}

export const ENCODINGS: { readonly [name in EncodingName]: Encoding } = {
  "utf-8": {
    name: "utf-8",
    unit: 1,
    mark: Buffer.from([0xef, 0xbb, 0xbf]),
    newline: Buffer.from("\n"),
    decode: (bytes) => (isUtf8(bytes) ? bytes.toString("utf8") : undefined),
    isBoundary: (bytes, position) => ((bytes[position] ?? 0) & 0xc0) !== 0x80,
  },
  "utf-16le": {
    name: "utf-16le",
    unit: 2,
    mark: Buffer.from([0xff, 0xfe]),
    newline: Buffer.from([0x0a, 0x00]),
    decode: (bytes) => decodeExactly(bytes, "utf-16le"),
    isBoundary: (bytes, position) => position % 2 === 0 && !isHighByteOfTrail(bytes[position + 1]),
  },
  "utf-16be": {
    name: "utf-16be",
    unit: 2,
    mark: Buffer.from([0xfe, 0xff]),
    newline: Buffer.from([0x00, 0x0a]),
    decode: (bytes) =>
      bytes.length % 2 === 0 ? decodeExactly(Buffer.from(bytes).swap16(), "utf-16le") : undefined,
    isBoundary: (bytes, position) => position % 2 === 0 && !isHighByteOfTrail(bytes[position]),
  },
  latin1: {
    name: "latin1",
    unit: 1,
    mark: Buffer.alloc(0),
    newline: Buffer.from("\n"),
    decode: (bytes) => bytes.toString("latin1"),
    isBoundary: () => true,
  },
};

/** By its name, or by any other label that the Web has for it. */
export function findEncoding(label: string): Encoding | undefined {
  const name = label.toLowerCase();
  if (isKnown(name)) return ENCODINGS[name];
  try {
    const { encoding } = new TextDecoder(label, EXACTLY);
    return isKnown(encoding) ? ENCODINGS[encoding] : toEncoding(encoding);
  } catch {
    return undefined;
  }
}

const isKnown = (name: string): name is EncodingName => Object.hasOwn(ENCODINGS, name);

/** All others on the Web write ASCII as single bytes, and none has a newline inside another character. */
function toEncoding(label: string): Encoding {
  return {
    ...ENCODINGS.latin1,
    name: label,
    decode: (bytes) => decodeExactly(bytes, label),
    isBoundary: (bytes, position) => decodeExactly(bytes.subarray(0, position), label) !== undefined,
    ...(MULTIBYTE.test(label) && { cuts: "forwards" }),
    ...(label === "iso-2022-jp" && { cuts: "never" }),
  };
}

const MULTIBYTE = /^(?:big5|euc-|gb|shift_jis)/;

/** By the mark at the start of the file; without one it is UTF-8. */
export function detectEncoding(start: Buffer): Encoding {
  // Nearly every file: both marks begin with a byte that no UTF-8 has.
  if ((start[0] ?? 0) < 0xfe) return ENCODINGS["utf-8"];
  // UTF-32 begins like UTF-16 and then has zeros. Nobody reads it as text, so it stays a binary file.
  const isUtf32 = start.length >= 4 && start.readUInt32LE(0) === 0xfeff;
  const marked = (["utf-16le", "utf-16be"] as const).find((name) => startsWith(start, ENCODINGS[name].mark));
  return ENCODINGS[marked === undefined || isUtf32 ? "utf-8" : marked];
}

/** How many bytes at the start are not text but the encoding's mark. */
export const markLength = (start: Buffer, { mark }: Encoding): number =>
  startsWith(start, mark) ? mark.length : 0;

const startsWith = (bytes: Buffer, mark: Buffer): boolean =>
  bytes.length >= mark.length && bytes.compare(mark, 0, mark.length, 0, mark.length) === 0;

/** A guess for a hint: Western text in UTF-16 has a zero in every other byte, and in no other. */
export function guessUtf16(start: Buffer): EncodingName | undefined {
  const zeros = [0, 0];
  for (const [position, byte] of start.subarray(0, 512).entries()) {
    if (byte === 0) zeros[position % 2] = (zeros[position % 2] ?? 0) + 1;
  }
  const [even = 0, odd = 0] = zeros;
  const many = Math.max(Math.min(start.length, 512) / 4, 3);
  if (odd > many && even === 0) return "utf-16le";
  return even > many && odd === 0 ? "utf-16be" : undefined;
}
