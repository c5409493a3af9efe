import type { ElementNode } from "@mdream/js";

/** Lines of code that are elements: all that Markdown has is line breaks. */
export class CodeLines {
  #pre: ElementNode | undefined;
  #isInLine = false;
  /** A line has ended; a line break in the text will do. */
  #isEnded = false;
  /** Another has begun, whatever its text is. */
  #isNext = false;

  get isInside(): boolean {
    return this.#pre !== undefined;
  }

  enter(element: ElementNode, isBlock: boolean): void {
    const { name } = element;
    if (name === "pre") this.#pre ??= element;
    else if (name === "br") this.#isInLine = false;
    // The conversion begins a line with each of them.
    else if (name === "li" || name === "tr") this.#clear();
    else if (isBlock && this.#isInLine) this.#isNext = true;
  }

  exit(element: ElementNode, isBlock: boolean): void {
    if (this.#pre === element) {
      this.#pre = undefined;
      this.#clear();
    } else if (isBlock && this.#isInLine) this.#isEnded = true;
  }

  /** How many line breaks go before the text. */
  read(text: string): number {
    // Of a line that is empty, the parser leaves nothing.
    const isEmpty = text === "" && this.#isNext;
    const needsBreak = this.#isNext || (this.#isEnded && !/^\r?\n/.test(text));
    const wasInLine = this.#isInLine && !needsBreak && !text.includes("\n");
    this.#clear();
    this.#isInLine = wasInLine || /\S/.test(text.slice(text.lastIndexOf("\n") + 1));
    return isEmpty ? 2 : Number(needsBreak);
  }

  #clear(): void {
    this.#isInLine = this.#isEnded = this.#isNext = false;
  }
}
