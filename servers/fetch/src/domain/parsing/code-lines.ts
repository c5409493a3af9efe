import type { ElementNode } from "@mdream/js";

/** Counts the line breaks in `pre`, including those that come from elements. */
export class CodeLines {
  #pre: ElementNode | undefined;
  #isBegun = false;
  #isInLine = false;
  /** Breaks to write before the next text. Those at the end of the code are dropped. */
  #owed = 0;
  /** An element has ended the line: one more break is owed, unless the next text begins with one. */
  #isEnded = false;

  get isInside(): boolean {
    return this.#pre !== undefined;
  }

  enter(element: ElementNode, isBlock: boolean): void {
    const { name } = element;
    if (name === "pre") this.#pre ??= element;
    else if (name === "br") this.#beginLine(this.#owed + Number(this.#isEnded) + 1);
    // mdream starts a line for each of them.
    else if (name === "li" || name === "tr") this.#beginLine(0);
    else if (isBlock && this.#isInLine) this.#beginLine(1);
  }

  exit(element: ElementNode, isBlock: boolean): void {
    if (this.#pre === element) {
      this.#pre = undefined;
      this.#isBegun = false;
      this.#beginLine(0);
    } else if (isBlock && this.#isInLine) this.#isEnded = true;
  }

  /** The text without the breaks at its ends, some of which mdream drops, and how many to write before it. */
  read(text: string): { readonly rest: string; readonly breaks: number } {
    const end = /(?<![\r\n])[\r\n]+$/.exec(text)?.index ?? text.length;
    const rest = text.slice(0, end).replace(/^[\r\n]+/, "");
    const before = countBreaks(text.slice(0, end - rest.length));
    // The parser turns an element with a single line break into an empty text.
    const after = text === "" ? 1 : countBreaks(text.slice(end));
    const breaks = this.#isBegun ? this.#owed + Math.max(before, Number(this.#isEnded)) : 0;
    this.#isBegun ||= /\S/.test(rest);
    const isInLine = this.#isInLine && breaks === 0 && !rest.includes("\n");
    this.#beginLine(rest === "" ? this.#owed + after : after);
    this.#isInLine = after === 0 && (isInLine || /\S/.test(rest.slice(rest.lastIndexOf("\n") + 1)));
    return { rest, breaks };
  }

  #beginLine(owed: number): void {
    this.#owed = owed;
    this.#isInLine = this.#isEnded = false;
  }
}

const countBreaks = (text: string): number => text.split("\n").length - 1;
