import type { CursorPlace, Page, ReadRequest } from "../protocol.ts";
import { toBinding } from "../values/params.ts";
import type { Cursors } from "./cursors.ts";
import { keyBehind } from "./keyset.ts";
import { createLookup, readerOf } from "./lookup.ts";
import { takePage } from "./page.ts";
import { type Asked, closeQuery, openQuery, type Query } from "./query.ts";
import type { Session } from "./session.ts";
import { toStatementFault } from "./statement-error.ts";

/** One page of a query's result. */
export function read(session: Session, cursors: Cursors, request: ReadRequest): Page {
  const { params } = request;
  const { after, held } = request.cursor ?? {};
  const admitted = session.admit(request.sql, "read");
  try {
    const asked: Asked = {
      admitted,
      binding: toBinding(admitted.slots, params),
      ...(after && { after }),
    };
    const query = held ? cursors.resume(held, asked) : (openQuery(session, asked) as Query);
    return takeOrClose(session, cursors, query, request);
  } catch (thrown) {
    throw toStatementFault(thrown, request.sql, createLookup(readerOf(session)));
  }
}

function takeOrClose(session: Session, cursors: Cursors, query: Query, request: ReadRequest): Page {
  try {
    const page = takePage(query, request);
    if (!page.truncated) {
      closeQuery(session, query);
      return page;
    }
    const next = keepPlace(session, cursors, query, request.cursor, page.rows.length);
    return next ? { ...page, next } : page;
  } catch (thrown) {
    closeQuery(session, query);
    throw thrown;
  }
}

/** A key is good for as long as the table is there, and nothing has to be held for it. */
function keepPlace(
  session: Session,
  cursors: Cursors,
  query: Query,
  before: CursorPlace | undefined,
  count: number,
): CursorPlace | undefined {
  const key = query.last && keyBehind(session, query.connection, query.bound, query.last);
  if (key) {
    closeQuery(session, query);
    return { after: key };
  }
  const held = cursors.keep(query, (before?.held?.done ?? 0) + count);
  return held && { held, ...(before?.after && { after: before.after }) };
}
