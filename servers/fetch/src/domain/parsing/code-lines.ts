import type { ElementNode } from "@mdream/js";

/** Line breaks in code, also where lines are elements: all that Markdown has is line breaks. */
export class CodeLines {
  #pre: ElementNode | undefined;
  #isBegun = false;
  #isInLine = false;
  /** Breaks that go before the next text, if there is any. */
  #owed = 0;
  /** One is owed for the end of an element; a line break in the text will do. */
  #isEnded = false;

  get isInside(): boolean {
    return this.#pre !== undefined;
  }

  enter(element: ElementNode, isBlock: boolean): void {
    const { name } = element;
    if (name === "pre") this.#pre ??= element;
    else if (name === "br") this.#beginLine(this.#owed + Number(this.#isEnded) + 1);
    // The conversion begins a line with each of them.
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

  /** The text without the breaks at its ends, which the conversion may drop, and how many go before it. */
  read(text: string): { readonly rest: string; readonly breaks: number } {
    const end = /(?<![\r\n])[\r\n]+$/.exec(text)?.index ?? text.length;
    const rest = text.slice(0, end).replace(/^[\r\n]+/, "");
    const before = countBreaks(text.slice(0, end - rest.length));
    // Of a line that is empty, the parser leaves nothing.
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
