import type { ReplicaParts } from "./replica-parts.ts";
import type { SessionRecords } from "./session-records.ts";

/** What replicas tell each other about the end of a session. */
export type EndingMessage =
  /** The replicas in `heldBy` reply with `hasLetGo` once they have dropped the session. */
  { readonly isOver: true; readonly heldBy: readonly string[] } | { readonly hasLetGo: true };

/** A replica that has not replied by then does not answer, or cannot reach the store. */
const LONGEST_WAIT_MS = 2000;

/** Ends sessions on all replicas: afterwards each of them refuses requests for the session. */
export class SessionEndings {
  readonly #parts: ReplicaParts;
  readonly #records: SessionRecords;
  /** Called when a replica has dropped a session. */
  readonly #waiting = new Set<(id: string, replica: string) => void>();

  constructor(parts: ReplicaParts, records: SessionRecords) {
    this.#parts = parts;
    this.#records = records;
  }

  /** False if this caller has no such session. With `isHere`, it is ended even if the store has lost its record. */
  async end(id: string, principal: string | undefined, isHere: boolean): Promise<boolean> {
    const { heartbeat } = this.#parts;
    const record = await this.#records.end(id, principal);
    if (!record && !isHere) return false;
    const others = (record?.heldBy ?? []).filter((holder) => holder !== heartbeat.id);
    const areAlive = await Promise.all(others.map((holder) => heartbeat.isAlive(holder)));
    const heldBy = others.filter((_, index) => areAlive[index]);
    const haveLetGo = this.#waitFor(id, heldBy);
    await this.#publish(id, { isOver: true, heldBy });
    await haveLetGo;
    await this.#records.delete(id);
    return true;
  }

  /** Confirms that this replica has dropped a session that ended elsewhere. */
  confirm(id: string, heldBy: readonly string[]): void {
    // If this fails, the other replica stops waiting after LONGEST_WAIT_MS.
    if (heldBy.includes(this.#parts.heartbeat.id))
      this.#publish(id, { hasLetGo: true }).catch(() => undefined);
  }

  noteLetGo(id: string, replica: string): void {
    for (const note of this.#waiting) note(id, replica);
  }

  #waitFor(id: string, replicas: readonly string[]): Promise<void> {
    const missing = new Set(replicas);
    if (missing.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(note);
        resolve();
      };
      const timer = setTimeout(done, LONGEST_WAIT_MS);
      const note = (ended: string, replica: string): void => {
        if (ended === id && missing.delete(replica) && missing.size === 0) done();
      };
      this.#waiting.add(note);
    });
  }

  #publish(id: string, message: EndingMessage): Promise<number> {
    const { changes, heartbeat } = this.#parts;
    return changes.publish({ kind: "session", id, from: heartbeat.id, message });
  }
}
