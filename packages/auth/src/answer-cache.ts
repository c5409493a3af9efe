import { createHash } from "node:crypto";

const MOST_ANSWERS = 1000;

interface Answer<Value> {
  readonly value: Promise<Value>;
  readonly until: number;
}

/** Answers about tokens, for a short while. Tokens themselves are not kept: only their digests are. */
export class AnswerCache<Value> {
  readonly #maxAgeMs: number;
  readonly #answers = new Map<string, Answer<Value>>();

  constructor(maxAgeMs: number) {
    this.#maxAgeMs = maxAgeMs;
  }

  /** Several requests with the same token wait for one answer; a failure is no answer and is forgotten. */
  get(token: string, ask: (token: string) => Promise<Value>): Promise<Value> {
    const key = createHash("sha256").update(token).digest("base64");
    const known = this.#answers.get(key);
    if (known && Date.now() < known.until) return known.value;
    const answer = { value: ask(token), until: Date.now() + this.#maxAgeMs };
    this.#answers.delete(key);
    this.#answers.set(key, answer);
    answer.value.catch(() => {
      if (this.#answers.get(key) === answer) this.#answers.delete(key);
    });
    this.#makeRoom();
    return answer.value;
  }

  #makeRoom(): void {
    for (const key of this.#answers.keys()) {
      if (this.#answers.size <= MOST_ANSWERS) return;
      this.#answers.delete(key);
    }
  }
}
