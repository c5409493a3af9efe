import type { Journal, News } from "../../connection/journal.ts";
import type { Replica } from "../../connection/replica.ts";
import type { SessionRecord, SessionRecords } from "./session-records.ts";

/** What replicas tell each other about the end of a session. */
export type EndingMessage =
  /** Those who are named say when they have let go of it. */
  { readonly isOver: true; readonly heldBy: readonly string[] } | { readonly hasLetGo: true };

/** Whoever says nothing for so long has lost the store, or is no more. */
const LONGEST_WAIT_MS = 2000;

/** Ends sessions for all replicas: once it is done, each of them refuses whoever still asks. */
export class SessionEndings {
  readonly #replica: Replica;
  readonly #journal: Journal;
  readonly #records: SessionRecords;
  /** Those who learn which replica has let go of what. */
  readonly #waiting = new Set<(id: string, replica: string) => void>();

  constructor(replica: Replica, journal: Journal, records: SessionRecords) {
    this.#replica = replica;
    this.#journal = journal;
    this.#records = records;
  }

  /** False where this caller has no such session. One that is here may have been lost by the store. */
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

  /** This replica has let go of a session that ended elsewhere. */
  confirm(id: string, heldBy: readonly string[]): void {
    // Where it cannot be said, the other has waited long enough soon.
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
