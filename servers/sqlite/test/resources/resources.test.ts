import { type Client, ProtocolError } from "@suite/server-kit/testing";
import { describe, expect, it } from "vitest";
import { call, useServed } from "../served.ts";

const served = useServed();
const { scratch } = served;

async function read(client: Client, uri: string): Promise<Record<string, unknown>> {
  const [contents] = (await client.readResource(uri)).contents;
  expect(contents).toMatchObject({
    uri,
    mimeType: "application/json",
    _meta: { "dev.suite/untrusted": true },
  });
  return JSON.parse((contents as { text: string }).text) as Record<string, unknown>;
}

async function errorOf(work: Promise<unknown>): Promise<ProtocolError> {
  try {
    await work;
  } catch (thrown) {
    if (thrown instanceof ProtocolError) return thrown;
    throw thrown;
  }
  throw new Error("It works");
}

const SCRIPT = `
  CREATE TABLE "a/b ?#%é" (x); INSERT INTO "a/b ?#%é" VALUES ('odd');
  CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'z');
  CREATE VIEW v AS SELECT b FROM t; CREATE TABLE "" (x);`;

describe("resources", () => {
  it("are listed page by page", async () => {
    const script = Array.from(
      { length: 150 },
      (_, at) => `CREATE TABLE t${String(at).padStart(3, "0")} (a);`,
    ).join("");
    const exactly = Array.from({ length: 50 }, (_, at) => `CREATE TABLE u${at} (a);`).join("");
    const files = [
      scratch.create("one.db", script),
      scratch.create("two.db", exactly),
      scratch.create("three.db", "CREATE TABLE last (a)"),
    ];
    const client = await served.connect({ files });
    const uris = (await client.listResources())
      .map(({ uri }) => uri)
      .filter((uri) => uri.includes("/table/"));
    expect([uris.length, new Set(uris).size, uris[0], uris.at(-1)]).toEqual([
      201,
      201,
      "sqlite://one/table/t000",
      "sqlite://three/table/last",
    ]);
  });

  it("of a table are its definition, and a sample", async () => {
    const client = await served.connect({ files: [scratch.create("app.db", SCRIPT)] });
    expect(await read(client, "sqlite://app/table/T")).toMatchObject({
      name: "t",
      kind: "table",
      rows: 3,
      columns: [
        { name: "a", primary_key: 1 },
        { name: "b", type: "TEXT" },
      ],
      sample: {
        rows: [
          [1, "x"],
          [2, "y"],
          [3, "z"],
        ],
      },
    });
    expect(await read(client, "sqlite://APP/table/a%2fb%20%3f%23%25%c3%a9")).toMatchObject({
      sample: { rows: [["odd"]] },
    });
    expect(await read(client, "sqlite://app/table/v/rows")).toMatchObject({
      table: "v",
      rows: [["x"], ["y"], ["z"]],
    });
    expect(await read(client, "sqlite://app/schema")).toMatchObject({
      database: "app",
      tables: [{ name: "" }, { name: "a/b ?#%é" }, { name: "t" }, { name: "v", kind: "view" }],
      truncated: false,
    });
  });

  it("say when there are more tables than they have", async () => {
    const script = Array.from({ length: 1001 }, (_, at) => `CREATE TABLE t${at} (a);`).join("");
    const client = await served.connect({ files: [scratch.create("app.db", `BEGIN; ${script} COMMIT`)] });
    const { tables, truncated } = await read(client, "sqlite://app/schema");
    expect([tables, truncated]).toEqual([expect.objectContaining({ length: 1000 }), true]);
    expect(await call(client, "describe_table", {})).toMatchObject({
      more: true,
      note: expect.stringMatching(/tables did not fit: .* There are more tables: SELECT name/),
    });
  });

  it.each([
    ["sqlite://nope/schema", "not_found", /There is no database "nope"/],
    ["sqlite://app/table/tt", "not_found", /There is no table "tt"/],
    ["sqlite://app/table/tt/rows", "not_found", /Did you mean|There are/],
    ["sqlite://app/table/sqlite_schema/rows", "not_found", /There is no table/],
    ["sqlite://app/table/pragma_optimize/rows", "not_found", /There is no table/],
    ["sqlite://app/table/t%22%3B%20DROP%20TABLE%20t%3B--/rows", "not_found", /There is no table/],
    ["sqlite://app/query/7", "not_found", /not found/i],
    ["sqlite://app/other", "not_found", /not found/i],
    ["sqlite://app/table/t/rows?limit=0", "invalid_input", /limit must be a number from 1 to 1000/],
    ["sqlite://app/table/t/rows?limit=1e2", "invalid_input", /limit/],
    ["sqlite://app/table/t/rows?limit=1001", "invalid_input", /limit/],
    ["sqlite://app/table/t/rows?cursor=zzz", "invalid_input", /cursor/],
  ])("%s is refused", async (uri, code, message) => {
    const client = await served.connect({ files: [scratch.create("app.db", SCRIPT)] });
    const error = await errorOf(client.readResource(uri));
    expect(error.data).toMatchObject({ "dev.suite/error": { code } });
    expect(error.message).toMatch(message);
  });

  it("that were stored belong to their database", async () => {
    const client = await served.connect({ files: ["one=:memory:", "two=:memory:"] });
    const { uri } = await call<{ uri: string }>(client, "read_query", {
      query: "SELECT 1 AS a",
      store: true,
      database: "one",
    });
    expect(await read(client, uri)).toMatchObject({ database: "one", rows: [[1]] });
    expect((await errorOf(client.readResource(uri.replace("one", "two")))).message).toMatch(/not found/i);
  });
});

describe("completion", () => {
  const ask = async (
    client: Client,
    uri: string,
    name: string,
    value: string,
    known: Record<string, string> = {},
  ): Promise<readonly string[]> => (await client.complete({ template: uri }, { name, value }, known)).values;

  it("knows databases, tables and stored results", async () => {
    const files = [scratch.create("app.db", SCRIPT), scratch.create("other.db", "CREATE TABLE things (a)")];
    const client = await served.connect({ files });
    const { uri } = await call<{ uri: string }>(client, "read_query", {
      query: "SELECT 1",
      store: true,
      database: "app",
    });
    expect(await ask(client, "sqlite://{db}/schema", "db", "")).toEqual(["app", "other"]);
    expect(await ask(client, "sqlite://{db}/table/{table}", "table", "t")).toEqual(["t", "things"]);
    expect(await ask(client, "sqlite://{db}/table/{table}", "table", "t", { db: "other" })).toEqual([
      "things",
    ]);
    expect(
      await ask(client, "sqlite://{db}/table/{table}/rows{?limit,cursor}", "table", "t", { db: "nope" }),
    ).toEqual([]);
    expect(await ask(client, "sqlite://{db}/query/{id}", "id", "", { db: "app" })).toEqual([
      uri.split("/").at(-1),
    ]);
    expect(await ask(client, "sqlite://{db}/query/{id}", "id", "", { db: "other" })).toEqual([]);
  });
});
