/** Things by name, in the order they were added: lists must come out the same every time (tools#capabilities). */
export class Registry<T> {
  readonly #items = new Map<string, T>();
  readonly #serials = new Map<string, number>();
  readonly #kind: string;
  readonly #changed: () => void;
  #added = 0;
  #list: readonly T[] | undefined;

  constructor(kind: string, changed: () => void) {
    this.#kind = kind;
    this.#changed = changed;
  }

  add(name: string, item: T): void {
    if (this.#items.has(name))
      throw new Error(`There is already a ${this.#kind} named ${JSON.stringify(name)}`);
    this.#items.set(name, item);
    this.#added += 1;
    this.#serials.set(name, this.#added);
    this.#touch();
  }

  remove(name: string): boolean {
    const removed = this.#items.delete(name);
    this.#serials.delete(name);
    if (removed) this.#touch();
    return removed;
  }

  get(name: string): T | undefined {
    return this.#items.get(name);
  }

  /** Increases from item to item and is never reused, so a position stays valid after its item is removed. */
  serialOf(name: string): number {
    return this.#serials.get(name) ?? 0;
  }

  values(): readonly T[] {
    return (this.#list ??= [...this.#items.values()]);
  }

  #touch(): void {
    this.#list = undefined;
    this.#changed();
  }
}
