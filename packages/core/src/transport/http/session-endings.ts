import type { Journal, News } from "../../connection/journal.ts";
import type { Replica } from "../../connection/replica.ts";
import type { SessionRecord, SessionRecords } from "./session-records.ts";

/** What replicas tell each other about the end of a session. */
export type EndingMessage =
  /** The replicas in `heldBy` reply with `hasLetGo` once they have dropped the session. */
  { readonly isOver: true; readonly heldBy: readonly string[] } | { readonly hasLetGo: true };

/** A replica that has not replied by then has ended, or cannot reach the store. */
const LONGEST_WAIT_MS = 2000;

/** Ends sessions on all replicas: afterwards each of them refuses requests for the session. */
export class SessionEndings {
  readonly #replica: Replica;
  readonly #journal: Journal;
  readonly #records: SessionRecords;
  /** Called when a replica has dropped a session. */
  readonly #waiting = new Set<(id: string, replica: string) => void>();

  constructor(replica: Replica, journal: Journal, records: SessionRecords) {
    this.#replica = replica;
    this.#journal = journal;
    this.#records = records;
  }

  /** False if this caller has no such session. With `isHere`, it is ended even if the store has lost its record. */
  async end(id: string, principal: string | undefined, isHere: boolean): Promise<boolean> {
    const over = (record: SessionRecord): SessionRecord | undefined =>
      (record.principal ?? undefined) === principal ? { ...record, isOver: true } : undefined;
    const record = await this.#records.change(id, over);
    if (!record && !isHere) return false;
    const others = (record?.heldBy ?? []).filter((holder) => holder !== this.#replica.id);
    const areThere = await Promise.all(others.map((holder) => this.#replica.isThere(holder)));
    const heldBy = others.filter((_, index) => areThere[index]);
    const haveLetGo = this.#waitFor(id, heldBy);
    await this.#tell(id, { isOver: true, heldBy });
    await haveLetGo;
    await this.#records.delete(id);
    return true;
  }

  /** Confirms that this replica has dropped a session that ended elsewhere. */
  confirm(id: string, heldBy: readonly string[]): void {
    // If this fails, the other replica stops waiting after LONGEST_WAIT_MS.
    if (heldBy.includes(this.#replica.id)) this.#tell(id, { hasLetGo: true }).catch(() => undefined);
  }

  hearLetGo(id: string, replica: string): void {
    for (const hear of this.#waiting) hear(id, replica);
  }

  #waitFor(id: string, replicas: readonly string[]): Promise<void> {
    const missing = new Set(replicas);
    if (missing.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(hear);
        resolve();
      };
      const timer = setTimeout(done, LONGEST_WAIT_MS);
      const hear = (ended: string, replica: string): void => {
        if (ended === id && missing.delete(replica) && missing.size === 0) done();
      };
      this.#waiting.add(hear);
    });
  }

  #tell(id: string, message: EndingMessage): Promise<number> {
    const news: News = { kind: "session", id, from: this.#replica.id, message };
    return this.#journal.publish(news);
  }
}
