import { personOf } from "../values/principal.ts";

/** What an item costs besides its text. */
const OVERHEAD = 200;

/** Something that a client may still ask for: an event, all of a stream, or a value. */
export interface RetainedItem {
  readonly characters: number;
  /** Forgets it to make room for others. */
  readonly drop: () => void;
}

interface RetainedShare {
  size: number;
  /** Oldest first. */
  readonly kept: Set<RetainedItem>;
}

const sizeOf = ({ characters }: RetainedItem): number => characters + OVERHEAD;

/** Items kept for clients that come back. When full, the person who uses most loses the oldest. */
export class FairMemory {
  readonly #most: number;
  readonly #shares = new Map<string | undefined, RetainedShare>();
  #size = 0;

  /** In characters. */
  constructor(most: number) {
    this.#most = most;
  }

  add(principal: string | undefined, kept: RetainedItem): void {
    const person = personOf(principal);
    const share = this.#shares.get(person) ?? { size: 0, kept: new Set() };
    this.#shares.set(person, share);
    share.kept.add(kept);
    this.#grow(share, sizeOf(kept));
    while (this.#size > this.#most) this.#dropOldest();
  }

  delete(principal: string | undefined, kept: RetainedItem): void {
    const person = personOf(principal);
    const share = this.#shares.get(person);
    if (!share?.kept.delete(kept)) return;
    this.#grow(share, -sizeOf(kept));
    if (share.kept.size === 0) this.#shares.delete(person);
  }

  #grow(share: RetainedShare, size: number): void {
    share.size += size;
    this.#size += size;
  }

  /** `drop` deletes the item here as well. */
  #dropOldest(): void {
    let largest: RetainedShare | undefined;
    for (const share of this.#shares.values()) if (share.size > (largest?.size ?? 0)) largest = share;
    const [oldest] = largest?.kept ?? [];
    oldest?.drop();
  }
}
