import { randomUUID } from "node:crypto";

interface StoredResult {
  readonly database: string;
  readonly text: string;
  /** The owner, if callers are authenticated: nobody else sees it. */
  readonly principal: string | undefined;
}

const MOST = 50;
const MOST_CHARACTERS = 32 * 1024 * 1024;

/** Results kept on request, to be read by URI. The oldest are dropped first. */
export class StoredResults {
  readonly #results = new Map<string, StoredResult>();
  #characters = 0;

  /** Returns its id. */
  add(database: string, text: string, principal?: string): string {
    const id = randomUUID();
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
