import type { Page, ReadRequest } from "../engine/protocol.ts";
import type { Admitted } from "../gate/admit.ts";
import { toBinding } from "../values/params.ts";
import type { Cursors } from "./cursors.ts";
import { createLookup, readerOf } from "./lookup.ts";
import { takePage } from "./page.ts";
import { closeQuery, openQuery, type Query } from "./query.ts";
import type { Session } from "./session.ts";
import { toStatementFault } from "./statement-error.ts";

/** One page of a query's result. */
export function read(session: Session, cursors: Cursors, request: ReadRequest): Page {
  const admitted = session.admit(request.sql, "read");
  try {
    const query = open(session, cursors, request, admitted);
    const page = takeOrClose(session, query, request);
    if (!page.truncated) {
      closeQuery(session, query);
      return page;
    }
    const next = cursors.keep(query, admitted, (request.cursor?.done ?? 0) + page.rows.length);
    return next ? { ...page, next } : page;
  } catch (thrown) {
    throw toStatementFault(thrown, request.sql, createLookup(readerOf(session)));
  }
}

function takeOrClose(session: Session, query: Query, request: ReadRequest): Page {
  try {
    return takePage(query, request);
  } catch (thrown) {
    closeQuery(session, query);
    throw thrown;
  }
}

function open(
  session: Session,
  cursors: Cursors,
  { params, cursor }: ReadRequest,
  admitted: Admitted,
): Query {
  const binding = toBinding(admitted.slots, params);
  return cursor
    ? cursors.resume(cursor, admitted, binding)
    : (openQuery(session, admitted, binding) as Query);
}
