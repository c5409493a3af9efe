interface StoredResult {
  readonly database: string;
  readonly text: string;
  /** Whose it is, where callers are known by name: nobody else sees it. */
  readonly principal: string | undefined;
}

const MOST = 50;
const MOST_CHARACTERS = 32 * 1024 * 1024;

/** Results that were asked to be kept, so that they can be handed on by their URI. The oldest go first. */
export class StoredResults {
  readonly #results = new Map<string, StoredResult>();
  readonly #createId: () => string;
  #characters = 0;

  constructor(createId: () => string) {
    this.#createId = createId;
  }

  /** Gives its id. */
  add(database: string, text: string, principal?: string): string {
    const id = this.#createId();
    this.#results.set(id, { database, text, principal });
    this.#characters += text.length;
    for (const [oldest, result] of this.#results) {
      if (this.#results.size <= MOST && this.#characters <= MOST_CHARACTERS) break;
      this.#results.delete(oldest);
      this.#characters -= result.text.length;
    }
    return id;
  }

  get(id: string, database: string, principal?: string): string | undefined {
    const found = this.#results.get(id);
    return found?.database === database && found.principal === principal ? found.text : undefined;
  }

  idsOf(database: string, principal?: string): readonly string[] {
    return [...this.#results.keys()].filter((id) => this.get(id, database, principal) !== undefined);
  }
}
