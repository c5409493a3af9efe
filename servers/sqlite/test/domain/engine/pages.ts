import { expect } from "vitest";
import type { CursorPlace, RowPage } from "../../../src/domain/protocol/statements.ts";
import type { Cell } from "../../../src/domain/values/cell.ts";
import type { SqlParams } from "../../../src/domain/values/params.ts";
import type { OpenedDatabase } from "../scratch.ts";

export interface Query {
  readonly sql: string;
  readonly params?: SqlParams;
  readonly limit?: number;
  readonly maxBytes?: number;
}

/** Goes on in whatever process there is by then. */
export async function readAll(
  database: () => OpenedDatabase,
  query: Query,
  between: (page: RowPage) => unknown = () => {},
): Promise<(readonly Cell[])[]> {
  const rows: (readonly Cell[])[] = [];
  let next: CursorPlace | undefined;
  for (let pages = 0; pages < 1000; pages += 1) {
    const page = await database().read({ limit: 7, ...query, ...(next && { cursor: next }) });
    rows.push(...page.rows);
    if (!page.truncated) return rows;
    expect(page.next).toBeDefined();
    await between(page);
    next = page.next;
  }
  throw new Error("There is no end to it");
}
