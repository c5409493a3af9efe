import type { PackedFromChild, Page, ReadRequest } from "../protocol.ts";
import { toBinding } from "../values/params.ts";
import type { Connection } from "./connection.ts";
import { takePage } from "./page.ts";
import { inSnapshot } from "./query.ts";
import type { Session } from "./session.ts";

export interface WaitingRead {
  readonly id: number;
  readonly request: ReadRequest;
}

/** So that whoever asked works on one half while this one works on the other. */
const MOST_TOGETHER = 64;

/**
 * The answers to the first of these, as far as it is known beforehand that they take no time: all from one snapshot, which
 * costs more than such a query does. The first that is not of that kind, or that fails, is left to be done by itself.
 */
export function readBrief(session: Session, waiting: Iterable<WaitingRead>): readonly PackedFromChild[] {
  return inSnapshot(session, (connection) => {
    const answers: PackedFromChild[] = [];
    let columns: Page["columns"] | undefined;
    for (const { id, request } of waiting) {
      const page = readIfBrief(session, connection, request);
      if (!page) break;
      answers.push(page.columns === columns ? { id, rows: page.rows } : { id, ok: page });
      columns = page.columns;
      if (answers.length >= MOST_TOGETHER) break;
    }
    return answers;
  });
}

function readIfBrief(session: Session, connection: Connection, request: ReadRequest): Page | undefined {
  try {
    return readOne(session, connection, request);
  } catch {
    // It fails again when it is done by itself, in better words.
    return undefined;
  }
}

function readOne(session: Session, connection: Connection, request: ReadRequest): Page | undefined {
  const admitted = session.admit(request.sql, "read");
  const prepared = connection.findPrepared(admitted);
  if (!prepared?.brief) return undefined;
  const binding = toBinding(admitted.slots, request.params);
  const iterator = prepared.statement.iterate(...binding);
  const page = takePage({ iterator, pending: undefined, columns: prepared.columns }, request);
  iterator.return?.();
  return page.truncated ? undefined : page;
}
