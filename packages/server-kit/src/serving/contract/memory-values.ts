import { FairMemory } from "@suite/core";

/** Of all values together. */
const MOST_CHARACTERS = 32 * 1024 * 1024;

interface KeptValue {
  readonly value: string;
  readonly until: number;
  readonly principal: string | undefined;
  readonly characters: number;
  readonly drop: () => void;
}

/** Values kept for a time. When full, the caller that uses most loses its oldest. */
export class MemoryValues {
  readonly #ttlMs: number;
  readonly #values = new Map<string, KeptValue>();
  readonly #memory = new FairMemory(MOST_CHARACTERS);

  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs;
  }

  get(key: string): string | undefined {
    const kept = this.#values.get(key);
    return kept && kept.until > Date.now() ? kept.value : undefined;
  }

  set(key: string, value: string, principal: string | undefined): void {
    this.#delete(key);
    this.#deleteExpired();
    const until = Date.now() + this.#ttlMs;
    const characters = key.length + value.length;
    const kept = { value, until, principal, characters, drop: () => this.#delete(key) };
    this.#values.set(key, kept);
    this.#memory.add(principal, kept);
  }

  #delete(key: string): void {
    const kept = this.#values.get(key);
    if (kept) this.#memory.delete(kept.principal, kept);
    this.#values.delete(key);
  }

  /** From the oldest to the first that is still valid: all are kept for the same time. */
  #deleteExpired(): void {
    const now = Date.now();
    for (const [key, { until }] of this.#values) {
      if (until > now) return;
      this.#delete(key);
    }
  }
}
