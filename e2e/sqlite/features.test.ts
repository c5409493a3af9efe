import { join } from "node:path";

import { faultsIn } from "@suite/check";
import {
  BOTH_ENDS,
  callTool,
  type Fields,
  isModern,
  isOf,
  listAll,
  listen,
  type Message,
  textOf,
} from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { listOwnResources } from "../support/calls.ts";
import { createPlace } from "../support/place.ts";
import type { Wire } from "../support/wire.ts";
import { createDatabase, withDirect } from "./direct.ts";
import { openSqlite } from "./program.ts";
import { createShop } from "./shop.ts";

const ODD = `CREATE TABLE "a/b ?#%é" (x); INSERT INTO "a/b ?#%é" VALUES ('odd'); CREATE TABLE "" (unreachable);`;

/** Two databases, one of them with an odd name and an odd table. */
function createFiles(): readonly [shop: string, odd: string] {
  const folder = createPlace();
  return [createShop(folder), createDatabase(join(folder, "Odd näme 1.5.sqlite"), ODD)];
}

async function read(wire: Wire, uri: string): Promise<Fields> {
  const { result, error } = await wire.request("resources/read", { uri });
  const [content] = (result?.["contents"] ?? []) as readonly Fields[];
  if (!content) throw new Error(`${uri}: ${JSON.stringify(error)}`);
  expect(content).toMatchObject({ uri, mimeType: "application/json" });
  return JSON.parse(String(content["text"])) as Fields;
}

async function complete(wire: Wire, ref: Fields, argument: Fields, known: Fields = {}): Promise<unknown> {
  const { result } = await wire.request("completion/complete", {
    ref,
    argument,
    context: { arguments: known },
  });
  return (result?.["completion"] as Fields | undefined)?.["values"];
}

async function promptText(wire: Wire, name: string, args: Fields): Promise<string> {
  const { result, error } = await wire.request("prompts/get", { name, arguments: args });
  const messages = (result?.["messages"] ?? []) as readonly { readonly content: Fields }[];
  return error?.message ?? messages.map(({ content }) => String(content["text"])).join("\n");
}

const isUpdateOf =
  (uri: string) =>
  (message: Message): boolean =>
    isOf("notifications/resources/updated")(message) && message.params?.["uri"] === uri;

/** Hears of a resource and of the list, in the way of the era. */
async function listenTo(wire: Wire, uri: string): Promise<void> {
  if (isModern(wire.revision))
    await listen(wire, { resourceSubscriptions: [uri], resourcesListChanged: true });
  else await wire.request("resources/subscribe", { uri });
}

describe.each(BOTH_ENDS)("in %s", (revision) => {
  it("resources are listed, and each of them can be read", async () => {
    const wire = await openSqlite(createFiles(), { revision });
    const uris = (await listOwnResources(wire)).map(({ uri }) => String(uri));
    expect(uris).toEqual([
      "memo://insights",
      "suite://environment",
      "sqlite://shop/schema",
      "sqlite://Odd_n_me_1_5/schema",
      ...["log", "notes", "orders", "settings", "totals", "users"].map(
        (table) => `sqlite://shop/table/${table}`,
      ),
      "sqlite://Odd_n_me_1_5/table/a%2Fb%20%3F%23%25%C3%A9",
    ]);
    for (const uri of uris) {
      expect((await wire.request("resources/read", { uri })).result?.["contents"], uri).toHaveLength(1);
    }
    expect((await listAll(wire, "resources/templates/list")).map(({ uriTemplate }) => uriTemplate)).toEqual([
      "sqlite://{db}/schema",
      "sqlite://{db}/table/{table}",
      "sqlite://{db}/table/{table}/rows{?limit,cursor}",
      "sqlite://{db}/query/{id}",
      "skill://{+path}",
    ]);
    expect(faultsIn(wire)).toEqual([]);
  });

  it("templates lead to schemas, tables, rows and stored results", async () => {
    const wire = await openSqlite(createFiles(), { revision });
    expect(await read(wire, "sqlite://shop/schema")).toMatchObject({ database: "shop", truncated: false });
    expect(await read(wire, "sqlite://odd_n_me_1_5/table/a%2fb%20%3f%23%25%c3%a9")).toMatchObject({
      sample: { rows: [["odd"]] },
    });
    const first = await read(wire, "sqlite://shop/table/Users/rows?limit=2");
    expect(first).toMatchObject({
      table: "users",
      rows: [
        [1, "Ada", "London"],
        [2, "Bo", null],
      ],
      truncated: true,
    });
    const rest = await read(wire, String(first["next_uri"]));
    expect(rest).toMatchObject({ rows: [[3, "Cy", ""]], truncated: false });
    expect(rest).not.toHaveProperty("next_uri");
    const kept = textOf(
      await callTool(wire, "read_query", { query: "SELECT 1 AS a", store: true, database: "shop" }),
    );
    const uri = /Kept as (\S+)/.exec(kept)?.[1] ?? "";
    expect(await read(wire, uri)).toMatchObject({ sql: "SELECT 1 AS a", rows: [[1]] });
    await expect(read(wire, uri.replace("shop", "Odd_n_me_1_5"))).rejects.toThrow("not_found");
    const stored = { type: "ref/resource", uri: "sqlite://{db}/query/{id}" };
    const ids = await complete(wire, stored, { name: "id", value: "" }, { db: "shop" });
    expect(ids).toEqual([uri.split("/").at(-1)]);
    expect(faultsIn(wire)).toEqual([]);
  });

  it("what is not there is missing with the revision's own code", async () => {
    const wire = await openSqlite(createFiles(), { revision });
    const code = isModern(revision) ? -32602 : -32002;
    for (const uri of [
      "sqlite://nope/schema",
      "sqlite://shop/table/user",
      "sqlite://shop/table/user/rows",
      "sqlite://shop/query/1",
    ]) {
      const { error } = await wire.request("resources/read", { uri });
      expect(error, uri).toMatchObject({ code, data: { uri, "dev.suite/error": { code: "not_found" } } });
    }
    for (const query of ["limit=x", "limit=0", "limit=1e2", "limit=1001", "cursor=zzz"]) {
      const uri = `sqlite://shop/table/users/rows?${query}`;
      const { error } = await wire.request("resources/read", { uri });
      expect(error, query).toMatchObject({
        code: -32602,
        data: { "dev.suite/error": { code: "invalid_input" } },
      });
    }
    expect(faultsIn(wire)).toEqual([]);
  });

  it("prompts are filled in, and arguments completed", async () => {
    const wire = await openSqlite(createFiles(), { revision });
    const names = (await listAll(wire, "prompts/list")).map(({ name }) => name);
    expect(names).toEqual(["mcp-demo", "analyze_table", "write_query_for", "optimize_query"]);
    const database = "shop";
    expect(await promptText(wire, "mcp-demo", { topic: "tea" })).toContain("tea");
    expect(await promptText(wire, "analyze_table", { table: "users", database })).toMatch(/users \(3 rows\)/);
    expect(await promptText(wire, "write_query_for", { question: "How many users?", database })).toMatch(
      /How many users\?[\s\S]*orders/,
    );
    expect(
      await promptText(wire, "optimize_query", { query: "SELECT * FROM users WHERE city = 'x'", database }),
    ).toMatch(/Full scan of users \(3 rows\)/);
    expect(await promptText(wire, "analyze_table", { table: "user", database })).toMatch(
      /Did you mean users\?/,
    );
    expect(await promptText(wire, "analyze_table", { table: "users" })).toMatch(
      /There are several databases/,
    );
    const table = { type: "ref/resource", uri: "sqlite://{db}/table/{table}" };
    expect(await complete(wire, table, { name: "db", value: "o" })).toEqual(["Odd_n_me_1_5", "shop"]);
    expect(await complete(wire, table, { name: "table", value: "us" })).toEqual(["users"]);
    const prompt = { type: "ref/prompt", name: "analyze_table" };
    expect(await complete(wire, prompt, { name: "table", value: "ord" })).toEqual(["orders"]);
    const known = { table: "users", database };
    expect(await complete(wire, prompt, { name: "column", value: "i" }, known)).toEqual(["id", "city"]);
    expect(faultsIn(wire)).toEqual([]);
  });

  it("whoever subscribed hears of changes, whoever makes them", async () => {
    const [shop] = createFiles();
    const wire = await openSqlite([shop, "--allow-ddl"], { revision });
    await listOwnResources(wire);
    const uri = "sqlite://shop/table/users";
    await listenTo(wire, uri);
    await callTool(wire, "write_query", { query: "INSERT INTO users (name) VALUES ('New')" });
    await wire.hear(isUpdateOf(uri));
    withDirect(shop, (database) => database.exec("INSERT INTO users (name) VALUES ('Newer')"));
    await wire.hear(isUpdateOf(uri));
    expect(wire.heard.filter(isOf("notifications/resources/list_changed"))).toEqual([]);
    await callTool(wire, "create_table", { query: "CREATE TABLE ours (a)" });
    await wire.hear(isOf("notifications/resources/list_changed"));
    withDirect(shop, (database) => database.exec("CREATE TABLE theirs (a)"));
    await wire.hear(isOf("notifications/resources/list_changed"));
    expect((await listOwnResources(wire)).map(({ name }) => name)).toEqual(
      expect.arrayContaining(["ours", "theirs"]),
    );
    expect(faultsIn(wire)).toEqual([]);
  });

  it("the memo tells of what is added to it", async () => {
    const wire = await openSqlite([":memory:"], { revision });
    await listenTo(wire, "memo://insights");
    await callTool(wire, "append_insight", { insight: "Numbers add up." });
    await wire.hear(isUpdateOf("memo://insights"));
    expect(await promptText(wire, "write_query_for", { question: "?" })).toContain("It has no tables.");
    const { result } = await wire.request("resources/read", { uri: "memo://insights" });
    expect(result?.["contents"]).toMatchObject([
      { mimeType: "text/plain", text: "Insights:\n\n- Numbers add up." },
    ]);
    expect(faultsIn(wire)).toEqual([]);
  });

  it("the introduction is what the server says when it is there", async () => {
    const wire = await openSqlite([":memory:"], { revision });
    const early = isModern(revision) ? (await wire.request("server/discover")).result : wire.heard[0]?.result;
    const whole = await openSqlite([":memory:", "--exclude-tools", "append_insight"], { revision });
    const late = isModern(revision)
      ? (await whole.request("server/discover")).result
      : whole.heard[0]?.result;
    expect(early).toHaveProperty("capabilities");
    expect(early).toEqual(late);
  });
});
