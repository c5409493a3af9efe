import type { CursorPlace, Page, ReadRequest } from "../protocol.ts";
import { toBinding } from "../values/params.ts";
import { keyBehind } from "./keyset.ts";
import { createLookup, readerOf } from "./lookup.ts";
import { takePage } from "./page.ts";
import { closeQuery, openQuery, type Query } from "./query.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { toStatementFault } from "./statement-error.ts";

/** One page of a query's result. */
export function read(pool: ConnectionPool, request: ReadRequest): Page {
  const { sql, params, cursor } = request;
  const admitted = pool.admit(sql, "read");
  try {
    const binding = toBinding(admitted.slots, params);
    const query = openQuery(pool, { admitted, binding, ...(cursor !== undefined && { from: cursor }) });
    try {
      const page = takePage(query, request);
      const next = page.truncated ? placeBehind(pool, query, cursor, page.rows.length) : undefined;
      return next ? { ...page, next } : page;
    } finally {
      closeQuery(pool, query);
    }
  } catch (thrown) {
    throw toStatementFault(thrown, sql, createLookup(readerOf(pool)));
  }
}

/** By key where the query has one; otherwise by the number of rows, unless chance or the time decides which those are. */
function placeBehind(
  pool: ConnectionPool,
  { connection, bound, last }: Query,
  [skipped, ...key]: CursorPlace = [0],
  count: number,
): CursorPlace | undefined {
  const behind = last && keyBehind(pool, connection, bound, last);
  if (behind) return behind;
  return bound.prepared.volatile ? undefined : [skipped + count, ...key];
}
