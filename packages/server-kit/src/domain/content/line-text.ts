/** A part of a text, where every line end counts as one character. */
export interface CharacterRange {
  readonly start: number;
  readonly end: number;
}

/** A text that takes the place of a range. */
export interface Replacement extends CharacterRange {
  readonly text: string;
}

/**
 * A text whose lines may end with \n, \r\n, or a mix. `plain` has only \n, for searching. Replacing keeps all other text,
 * including its line ends, byte for byte.
 */
export class LineText {
  /** With only \n as line ends. */
  readonly plain: string;
  readonly #text: string;
  /** Where in the plain text a \n stands for \r\n. */
  readonly #pairs: readonly number[];
  /** How most lines end; "" if there is only one line. Computed on demand from the whole text. */
  #usualEnd: "" | "\n" | "\r\n" | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#pairs = findPairs(text);
    this.plain = this.#pairs.length > 0 ? text.replaceAll("\r\n", "\n") : text;
  }

  /** Counted from 1. */
  lineAt(offset: number): number {
    let line = 1;
    for (let at = this.plain.indexOf("\n"); at >= 0 && at < offset; at = this.plain.indexOf("\n", at + 1))
      line += 1;
    return line;
  }

  /** Replacements must be sorted and not overlap. New line ends are like the replaced ones, or else like most in the text. */
  replace(replacements: readonly Replacement[]): string {
    const parts: string[] = [];
    let done = 0;
    for (const replacement of replacements) {
      const [start, end] = [this.#toOwn(replacement.start), this.#toOwn(replacement.end)];
      parts.push(this.#text.slice(done, start), this.#spell(replacement));
      done = end;
    }
    return [...parts, this.#text.slice(done)].join("");
  }

  #spell({ start, end, text }: Replacement): string {
    if (!text.includes("\n")) return text;
    const newline = this.plain.slice(start, end).indexOf("\n");
    const lineEnd = newline < 0 ? (this.#usualEnd ??= this.#findUsualEnd()) : this.#endAt(start + newline);
    if (lineEnd === "") return text;
    const plain = text.replaceAll("\r\n", "\n");
    return lineEnd === "\n" ? plain : plain.replaceAll("\n", lineEnd);
  }

  #endAt(newline: number): "\n" | "\r\n" {
    return this.#countBefore(newline + 1) > this.#countBefore(newline) ? "\r\n" : "\n";
  }

  #findUsualEnd(): "" | "\n" | "\r\n" {
    let all = 0;
    for (let at = this.plain.indexOf("\n"); at >= 0; at = this.plain.indexOf("\n", at + 1)) all += 1;
    if (all === 0) return "";
    return this.#pairs.length * 2 > all ? "\r\n" : "\n";
  }

  #toOwn(offset: number): number {
    return offset + this.#countBefore(offset);
  }

  /** Binary search: there may be as many pairs as lines. */
  #countBefore(offset: number): number {
    let [low, high] = [0, this.#pairs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#pairs[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function findPairs(text: string): number[] {
  const pairs: number[] = [];
  for (let at = text.indexOf("\r\n"); at >= 0; at = text.indexOf("\r\n", at + 2))
    pairs.push(at - pairs.length);
  return pairs;
}
