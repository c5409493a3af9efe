import { isUtf8 } from "node:buffer";

/** The encodings in which files are read and written. */
export type EncodingName = "utf-8" | "utf-16le" | "utf-16be" | "latin1";

/** A way to turn bytes into text and back without losing any. */
export interface Encoding {
  readonly name: string;
  /** Bytes per code unit: positions are multiples of it. */
  readonly unit: 1 | 2;
  /** The byte order mark. */
  readonly mark: Buffer;
  /** A newline in this encoding. */
  readonly newline: Buffer;
  /** undefined if the bytes are not valid in this encoding: no replacement characters are used. */
  decode(bytes: Buffer): string | undefined;
  /** Whether a text may be cut before this position. */
  isBoundary(bytes: Buffer, position: number): boolean;
  /** Restricts cutting a line, because its bytes depend on those before: only when reading forwards, or never. */
  readonly cuts?: "forwards" | "never";
}

const isHighByteOfTrail = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xfc) === 0xdc;

const EXACTLY = { fatal: true, ignoreBOM: true };

/** In two steps: in one, Node decodes windows-1252 as Latin-1, which turns quotes, dashes and euro signs into controls. */
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

/** By name or any WHATWG label. */
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

/** All other WHATWG encodings write ASCII as single bytes, and have no newline byte inside another character. */
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
  // Fast path: both UTF-16 marks begin with a byte that UTF-8 does not use.
  if ((start[0] ?? 0) < 0xfe) return ENCODINGS["utf-8"];
  // The mark of UTF-32 is that of UTF-16 followed by zeros. UTF-32 is not supported, so it counts as binary.
  const isUtf32 = start.length >= 4 && start.readUInt32LE(0) === 0xfeff;
  const marked = (["utf-16le", "utf-16be"] as const).find((name) => startsWith(start, ENCODINGS[name].mark));
  return ENCODINGS[marked === undefined || isUtf32 ? "utf-8" : marked];
}

/** Length of the byte order mark at the start, or 0. */
export const markLength = (start: Buffer, { mark }: Encoding): number =>
  startsWith(start, mark) ? mark.length : 0;

const startsWith = (bytes: Buffer, mark: Buffer): boolean =>
  bytes.length >= mark.length && bytes.compare(mark, 0, mark.length, 0, mark.length) === 0;

/** A guess for a hint: Western text in UTF-16 has zeros only in every other byte. */
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
