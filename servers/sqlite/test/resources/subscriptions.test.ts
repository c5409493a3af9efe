import type { Client } from "@suite/server-kit/testing";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { call, useServed } from "../served.ts";

const served = useServed();
const { scratch } = served;

/** Counts what a client hears. */
class Ear {
  heard = 0;

  readonly hear = (): void => void (this.heard += 1);
}

async function withOther(file: string, work: (other: Database.Database) => Promise<void>): Promise<void> {
  const other = new Database(file);
  try {
    await work(other);
  } finally {
    other.close();
  }
}

const open = async (): Promise<{ client: Client; file: string }> => {
  const file = scratch.create("app.db", "PRAGMA journal_mode = wal; CREATE TABLE t (a)");
  return { client: await served.connect({ files: [file] }), file };
};

describe("a subscriber", () => {
  it.each(["sqlite://app/schema", "sqlite://app/table/t", "sqlite://app/table/t/rows?limit=5"])(
    "hears of changes to %s, ours and others'",
    async (uri) => {
      const { client, file } = await open();
      const ear = new Ear();
      const subscription = await client.subscribe(uri, ear.hear);
      await call(client, "write_query", { query: "INSERT INTO t VALUES (1)" });
      await expect.poll(() => ear.heard).toBeGreaterThanOrEqual(1);
      await withOther(file, async (other) => {
        other.exec("INSERT INTO t VALUES (2)");
        await expect.poll(() => ear.heard).toBeGreaterThanOrEqual(2);
      });
      await subscription.close();
      expect(ear.heard).toBeGreaterThanOrEqual(2);
    },
  );

  it("hears of insights, and of what is in memory", async () => {
    const client = await served.connect({ files: [":memory:"] });
    const [memo, rows] = [new Ear(), new Ear()];
    await client.subscribe("memo://insights", memo.hear);
    await call(client, "create_table", { query: "CREATE TABLE t (a)" });
    await client.subscribe("sqlite://memory/table/t", rows.hear);
    await call(client, "append_insight", { insight: "x" });
    await expect.poll(() => memo.heard).toBeGreaterThanOrEqual(1);
    await call(client, "write_query", { query: "INSERT INTO t VALUES (1)" });
    await expect.poll(() => rows.heard).toBeGreaterThanOrEqual(1);
    expect([memo.heard, rows.heard]).toEqual([1, 1]);
  });

  it("is refused what cannot change, or is not there", async () => {
    const { client } = await open();
    for (const uri of ["sqlite://nope/schema", "sqlite://app/query/1"]) {
      await expect(
        client.subscribe(uri, () => undefined),
        uri,
      ).rejects.toThrow(/no database|no subscription/i);
    }
  });
});

describe("the list of resources", () => {
  it("is told to have changed with the schema, and only then, whoever changes it", async () => {
    const { client, file } = await open();
    const [list, rows] = [new Ear(), new Ear()];
    await client.watchList("resources", list.hear);
    await client.subscribe("sqlite://app/table/t", rows.hear);
    expect((await client.listResources()).map(({ name }) => name)).toContain("t");
    await call(client, "write_query", { query: "INSERT INTO t VALUES (1)" });
    await expect.poll(() => rows.heard).toBeGreaterThanOrEqual(1);
    await call(client, "create_table", { query: "CREATE TABLE u (a)" });
    await expect.poll(() => list.heard).toBeGreaterThanOrEqual(1);
    expect(list.heard).toBe(1);
    expect((await client.listResources()).map(({ name }) => name)).toContain("u");
    await withOther(file, async (other) => {
      other.exec("DROP TABLE u");
      await expect.poll(() => list.heard).toBeGreaterThanOrEqual(2);
    });
    await call(client, "create_table", { query: "CREATE VIEW w AS SELECT 1" });
    await expect.poll(() => list.heard).toBeGreaterThanOrEqual(3);
    expect((await client.listResources()).map(({ name }) => name)).toContain("w");
  });
});
