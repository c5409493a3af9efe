/** For all streams of a server together, in characters. */
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** What an event costs besides its text. */
const OVERHEAD = 200;

/** An event that a client may still ask for. */
export interface KeptEvent {
  readonly text: string;
  /** Forgets it, because others need the room. */
  readonly drop: () => void;
}

interface Share {
  size: number;
  /** Oldest first. */
  readonly events: Set<KeptEvent>;
}

const sizeOf = ({ text }: KeptEvent): number => text.length + OVERHEAD;

/** What is kept for clients that come back, of all streams of a server: whoever has most of it gives up the oldest first. */
export class EventMemory {
  readonly #shares = new Map<string | undefined, Share>();
  #size = 0;

  add(principal: string | undefined, event: KeptEvent): void {
    const share = this.#shares.get(principal) ?? { size: 0, events: new Set() };
    this.#shares.set(principal, share);
    share.events.add(event);
    this.#grow(share, sizeOf(event));
    while (this.#size > MOST_CHARACTERS) this.#dropOldest();
  }

  delete(principal: string | undefined, event: KeptEvent): void {
    const share = this.#shares.get(principal);
    if (!share?.events.delete(event)) return;
    this.#grow(share, -sizeOf(event));
    if (share.events.size === 0) this.#shares.delete(principal);
  }

  #grow(share: Share, size: number): void {
    share.size += size;
    this.#size += size;
  }

  /** Dropping an event deletes it here. */
  #dropOldest(): void {
    const [first, ...others] = this.#shares.values();
    const largest = others.reduce((most, share) => (share.size > (most?.size ?? 0) ? share : most), first);
    const [oldest] = largest?.events ?? [];
    oldest?.drop();
  }
}
