import type { HeldPlace } from "../protocol.ts";
import { expired } from "./expired.ts";
import { type Asked, closeQuery, openQuery, type Query, rewindQuery, versionOf } from "./query.ts";
import type { Session } from "./session.ts";

interface Held {
  readonly query: Query;
  readonly done: number;
  readonly timer: NodeJS.Timeout;
}

/**
 * Two ways to go on exactly where a page ended, for queries without a key that tells the place.
 *
 * In WAL mode the query stays open: a snapshot, whoever writes meanwhile, and nobody waits for it. It keeps the log from
 * being emptied, so there are few and not for long.
 *
 * Elsewhere an open query would keep every writer out. So nothing is held: the query runs again and skips what was
 * returned, provided that nothing was committed since and that the query depends on nothing but the data. The same is
 * tried for a snapshot that had to be given up.
 */
export class Cursors {
  readonly #session: Session;
  readonly #held = new Map<number, Held>();
  #count = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Keeps the place behind `done` rows; the query is the cursor's from now on. */
  keep(query: Query, done: number): HeldPlace | undefined {
    const cursor = (this.#count += 1);
    const { boot } = this.#session;
    const place = {
      boot,
      cursor,
      done,
      connection: query.connection.id,
      version: versionOf(this.#session, query),
    };
    if (this.#session.isMemory || query.connection.value("PRAGMA journal_mode") !== "wal") {
      closeQuery(this.#session, query);
      return query.bound.prepared.volatile ? undefined : place;
    }
    const oldest =
      this.#held.size >= this.#session.options.cursors ? this.#held.keys().next().value : undefined;
    if (oldest !== undefined) this.#giveUp(oldest);
    const timer = setTimeout(() => this.#giveUp(cursor), this.#session.options.cursorMs);
    timer.unref();
    this.#held.set(cursor, { query, done, timer });
    return place;
  }

  /** The query, at the row after the last one that was returned. */
  resume(place: HeldPlace, asked: Asked): Query {
    if (place.boot !== this.#session.boot) throw expired("the database was reopened");
    const isMine = ({ query: { bound, connection } }: Held): boolean =>
      bound.admitted.text === asked.admitted.text && connection.id === place.connection;
    const [cursor, held] = [...this.#held].find(([, candidate]) => isMine(candidate)) ?? [];
    if (cursor !== undefined && held) {
      clearTimeout(held.timer);
      this.#held.delete(cursor);
      if (cursor === place.cursor && held.done === place.done) return held.query;
    }
    // A page that is asked for again comes from the same snapshot as before, if that is still there.
    const query = held ? rewindQuery(this.#session, held.query, asked) : this.#reopen(place, asked);
    return this.#skip(query, place);
  }

  #reopen(place: HeldPlace, asked: Asked): Query {
    const query = openQuery(this.#session, asked, place.connection);
    if (!query) throw expired("too many other queries were continued");
    return query;
  }

  #skip(query: Query, place: HeldPlace): Query {
    try {
      if (versionOf(this.#session, query) !== place.version) throw expired("the data changed");
      if (query.bound.prepared.volatile)
        throw expired("it depends on the time or on chance, and its snapshot was given up");
      for (let at = 0; at < place.done; at += 1) {
        if (query.iterator.next().done === true) break;
      }
      return query;
    } catch (thrown) {
      closeQuery(this.#session, query);
      throw thrown;
    }
  }

  close(): void {
    for (const cursor of this.#held.keys()) this.#giveUp(cursor);
  }

  #giveUp(cursor: number): void {
    const held = this.#held.get(cursor);
    if (!held) return;
    clearTimeout(held.timer);
    this.#held.delete(cursor);
    closeQuery(this.#session, held.query);
  }
}
