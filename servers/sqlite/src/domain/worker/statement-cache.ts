const MOST = 200;
/** Of all texts together. A statement takes some fifty bytes of memory per character. */
const MOST_CHARACTERS = 100_000;

/** Values cached by the text of a statement. The oldest are dropped first. */
export class StatementCache<T> {
  readonly #known = new Map<string, T>();
  #characters = 0;

  get(text: string): T | undefined {
    return this.#known.get(text);
  }

  keep(text: string, value: T): void {
    if (text.length > MOST_CHARACTERS) return;
    this.#drop(text);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size < MOST && this.#characters + text.length <= MOST_CHARACTERS) break;
      this.#drop(oldest);
    }
    this.#characters += text.length;
    this.#known.set(text, value);
  }

  #drop(text: string): void {
    if (this.#known.delete(text)) this.#characters -= text.length;
  }

  clear(): void {
    this.#known.clear();
    this.#characters = 0;
  }
}
