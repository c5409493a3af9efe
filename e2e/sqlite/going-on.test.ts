import { join } from "node:path";

import { callTool } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import type { Wire } from "../support/wire.ts";
import { createDatabase, withDirect } from "./direct.ts";
import { openSqlite } from "./program.ts";

interface Page {
  readonly rows: unknown[][];
  readonly next_cursor?: string;
  readonly next_uri?: string;
}

/** The next page by the tool or by the resource, told what the page before said. */
type Turn = (wire: Wire, before: Page | undefined) => Promise<Page>;

const byTool: Turn = async (wire, before) => {
  const cursor = before?.next_cursor;
  const args = { query: "SELECT * FROM t", limit: 10, ...(cursor === undefined ? {} : { cursor }) };
  const { result } = await callTool(wire, "read_query", args);
  return result?.["structuredContent"] as Page;
};

const byResource: Turn = async (wire, before) => {
  const uri = before?.next_uri ?? "sqlite://app/table/t/rows?limit=10";
  const { result } = await wire.request("resources/read", { uri });
  const contents = result?.["contents"] as { text: string }[] | undefined;
  return JSON.parse(contents?.[0]?.text ?? "") as Page;
};

/** A server for each page, and somebody who writes in between. */
async function readApart(file: string, turn: Turn): Promise<unknown[]> {
  const names: unknown[] = [];
  let page: Page | undefined;
  do {
    const wire = await openSqlite([file]);
    page = await turn(wire, page);
    await wire.end();
    names.push(...page.rows.map(([name]) => name));
    withDirect(file, (database) =>
      database.exec("UPDATE t SET n = n + 1; DELETE FROM t WHERE name = 'k0001'"),
    );
  } while ((page.next_cursor ?? page.next_uri) !== undefined && names.length < 100);
  return names;
}

describe("pages of a table with a primary key", () => {
  it.each([
    ["TEXT", "", byResource],
    ["TEXT", "WITHOUT ROWID", byResource],
    ["TEXT", "WITHOUT ROWID", byTool],
  ])("go on in another server after others have written: %s %s", async (type, option, turn) => {
    const file = createDatabase(
      join(createPlace(), "app.db"),
      `CREATE TABLE t (name ${type} NOT NULL PRIMARY KEY, n) ${option};
       INSERT INTO t WITH RECURSIVE r (i) AS (SELECT 45 UNION ALL SELECT i - 1 FROM r WHERE i > 1)
         SELECT printf('k%04d', i), i FROM r;`,
    );
    const names = Array.from({ length: 45 }, (_, at) => `k${String(at + 1).padStart(4, "0")}`);
    expect(await readApart(file, turn)).toEqual(names);
  });
});
