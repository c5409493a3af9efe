import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { asNobody, type Client } from "@suite/server-kit/testing";
import { describe, expect, it } from "vitest";
import { introduction } from "../src/introduction.ts";
import { useServed } from "./served.ts";

const served = useServed();
const { scratch } = served;

const READING = ["list_tables", "describe_table", "read_query", "explain_query", "profile_table"];
const WRITING = ["write_query", "execute_batch"];
const FILES = ["export_data", "backup_database"];

function toolsOf(options: object, contract: object = {}): Promise<string[]> {
  return namesOf(served.connect(options, contract));
}

const namesOf = async (client: Promise<Client>): Promise<string[]> =>
  (await (await client).listTools()).map(({ name }) => name);

describe("the tools", () => {
  it("are those that can do something here", async () => {
    const files = [scratch.create("app.db", "CREATE TABLE t (a)")];
    const base = { files, allowDdl: false, exchange: [] };
    expect(await toolsOf(base)).toEqual([...READING, ...WRITING, "append_insight"]);
    expect(await toolsOf({ ...base, allowDdl: true })).toEqual([
      ...READING,
      ...WRITING,
      "create_table",
      "alter_or_drop",
      "append_insight",
    ]);
    expect(await toolsOf({ ...base, exchange: [scratch.folder] })).toEqual([
      ...READING,
      ...WRITING,
      "import_data",
      ...FILES,
      "append_insight",
    ]);
    expect(await toolsOf(base, { readOnly: true })).toEqual(READING);
  });

  it("leave out what needs a database that may be written, where there is none", async () => {
    const [closed = "", open = ""] = ["closed.db", "open.db"].map((name) =>
      scratch.create(name, "CREATE TABLE t (a)"),
    );
    chmodSync(scratch.folder, 0o755);
    chmodSync(closed, 0o444);
    chmodSync(open, 0o666);
    const options = { allowDdl: true, exchange: [scratch.folder] };
    const connect = (files: readonly string[]): Promise<Client> =>
      asNobody(() => served.connect({ ...options, files }));
    expect(await namesOf(connect([closed]))).toEqual([...READING, ...FILES, "append_insight"]);
    expect(await namesOf(connect([closed, open]))).toContain("write_query");
  });

  it("are all there before there is a database to judge by", async () => {
    expect(await toolsOf({ files: [], exchange: [] })).toEqual([
      ...READING,
      ...WRITING,
      "create_table",
      "alter_or_drop",
      "append_insight",
    ]);
  });
});

describe("the server", () => {
  it("introduces itself in the words that were given in advance", async () => {
    const client = await served.connect({ files: [":memory:"] });
    const { server, instructions } = client.agreement as unknown as {
      server: { info: object; capabilities: object };
      instructions?: string;
    };
    expect(JSON.stringify([server, instructions])).toContain(JSON.stringify(introduction.instructions));
    expect(server.capabilities).toMatchObject(introduction.capabilities);
  });

  it("serves a database behind a link, and several", async () => {
    mkdirSync(scratch.path("real"));
    const file = scratch.create("real/app.db", "CREATE TABLE t (a)");
    symlinkSync(file, scratch.path("link.db"));
    writeFileSync(scratch.path("empty.db"), "");
    const client = await served.connect({
      files: [scratch.path("link.db")],
      dbPath: [scratch.path("empty.db")],
    });
    const { structuredContent } = await client.callTool("list_tables");
    expect(structuredContent).toMatchObject({
      databases: [
        { name: "link", tables: [{ name: "t" }] },
        { name: "empty", tables: [] },
      ],
    });
  });
});
