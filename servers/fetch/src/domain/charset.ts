import { decodeBytes } from "@suite/server-kit/domain";

export interface Decoded {
  readonly text: string;
  readonly charset: string;
  /** Whether bytes that are invalid in this charset were replaced with U+FFFD. */
  readonly isDamaged: boolean;
}

const BOMS: readonly (readonly [bytes: readonly number[], charset: string])[] = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xfe, 0xff], "utf-16be"],
  [[0xff, 0xfe], "utf-16le"],
];
/** Markup without a mark: "<" and the next character, which is ASCII, tell by their zeros (XML 1.0, appendix F). */
const UNMARKED: readonly (readonly [zeros: RegExp, charset: string])[] = [
  [/^<\0[!-~]\0/, "utf-16le"],
  [/^\0<\0[!-~]/, "utf-16be"],
];
const PRESCAN_BYTES = 2048;

/** Decodes by the byte order mark, the header, the document's own declaration, or by trial. */
export function decodeText(bytes: Uint8Array, contentType: string | undefined): Decoded {
  const bom = BOMS.find(([mark]) => mark.every((byte, index) => bytes[index] === byte))?.[1];
  const start = Buffer.from(bytes.subarray(0, 4)).toString("latin1");
  const declared =
    bom ??
    UNMARKED.find(([zeros]) => zeros.test(start))?.[1] ??
    toLabel(/charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType ?? "")?.[1]) ??
    prescan(bytes);
  if (declared !== undefined) return decode(bytes, declared);
  const utf8 = decode(bytes, "utf-8");
  // Text without a declaration that is not UTF-8 is nearly always windows-1252.
  return utf8.isDamaged ? decode(bytes, "windows-1252") : utf8;
}

function decode(bytes: Uint8Array, charset: string): Decoded {
  const text = decodeBytes(bytes, charset);
  // The text may also contain U+FFFD itself.
  return { text, charset, isDamaged: text.includes("\uFFFD") && !isValid(bytes, charset) };
}

function isValid(bytes: Uint8Array, charset: string): boolean {
  try {
    decodeBytes(bytes, charset, { fatal: true });
    return true;
  } catch {
    return false;
  }
}

/** `<meta charset>`, its older form, or the first line of XML. */
function prescan(bytes: Uint8Array): string | undefined {
  const first = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, PRESCAN_BYTES));
  const start = first.toString("latin1").replaceAll(/<!--[^]*?(?:-->|$)/g, "");
  const found =
    /<\?xml[^>]{0,200}\bencoding\s*=\s*["']([\w.:-]+)/i.exec(start) ??
    (start.match(/<meta\b[^>]*/gi) ?? [])
      // Ignore "charset=" in the content of other meta tags, such as descriptions.
      .map((tag) => (/\bhttp-equiv\b/i.test(tag) ? tag : tag.replace(/\bcontent\s*=\s*(["'])[^]*?\1/i, "")))
      .map((tag) => /\bcharset\s*=\s*["']?([\w.:-]+)/i.exec(tag))
      .find((each) => each !== null);
  const label = toLabel(found?.[1]);
  // A document that can be read as ASCII is not UTF-16, whatever it says.
  return label?.startsWith("utf-16") === true ? "utf-8" : label;
}

function toLabel(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}
