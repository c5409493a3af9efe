export interface Truncated {
  readonly text: string;
  readonly truncated: boolean;
  /** How long `text` is in UTF-8: where to continue. */
  readonly bytes: number;
}

const encoder = new TextEncoder();

/** As much of the text as fits into so many bytes of UTF-8. No character is split. */
export function truncateText(text: string, maxBytes: number): Truncated {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return { text, truncated: false, bytes };
  const room = new Uint8Array(Math.max(0, Math.floor(maxBytes)));
  const { read, written } = encoder.encodeInto(text, room);
  return { text: text.slice(0, read), truncated: true, bytes: written };
}

/** Its beginning, where it is longer than a reader needs: for names and values in a sentence. No character is split. */
export const toGlimpse = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
