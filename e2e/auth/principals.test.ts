import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { type Fields, HttpWire, type Message } from "@suite/check/wires";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openWeb } from "../fetch/web.ts";
import { HttpProgram } from "../http/http-program.ts";
import { createPlace } from "../support/place.ts";
import { node } from "../support/servers.ts";
import { startTokenIssuer, type TokenIssuer } from "./token-issuer.ts";

const RESOURCE = "https://team.example/mcp";
const SCOPES = "mcp:read mcp:write mcp:admin";

const folder = createPlace();
let issuer: TokenIssuer;

beforeAll(async () => {
  issuer = await startTokenIssuer(RESOURCE);
});
afterAll(() => issuer.close());

type CallAs = (who: string, method: string, params: Fields) => Promise<Message>;

/** Runs a server that knows its callers by name. */
async function withServer(
  server: string,
  args: readonly string[],
  work: (call: CallAs) => Promise<void>,
): Promise<void> {
  const auth = ["--auth-issuer", issuer.url, "--auth-resource", RESOURCE];
  const program = await HttpProgram.start([...auth, ...args], node(`servers/${server}/dist/main.js`), {
    HOME: folder,
    PATH: process.env["PATH"],
  });
  try {
    const wire = await HttpWire.open(program.url.href, "2026-07-28");
    await work((who, method, params) =>
      wire.request(method, params, {
        headers: { authorization: `Bearer ${issuer.sign({ sub: who, scope: SCOPES })}` },
      }),
    );
  } finally {
    await program.stop();
  }
}

const structured = ({ result }: Message): Fields => result?.["structuredContent"] as Fields;
const tool = (name: string, args: Fields = {}): [string, Fields] => ["tools/call", { name, arguments: args }];

describe("changes of one caller", () => {
  const makeDirectory = (name: string): string => {
    const directory = join(folder, name);
    mkdirSync(directory);
    return directory;
  };

  it("are neither seen nor undone by another: filesystem", async () => {
    const directory = makeDirectory("files");
    await withServer("filesystem", [directory], async (call) => {
      const path = join(directory, "a.txt");
      const id = structured(await call("ada", ...tool("write_file", { path, content: "a" })))["undo"];
      expect(structured(await call("bob", ...tool("undo")))["changes"]).toEqual([]);
      for (const which of ["last", id]) {
        expect((await call("bob", ...tool("undo", { id: which }))).result?.["isError"]).toBe(true);
      }
      expect(structured(await call("ada", ...tool("undo")))["changes"]).toMatchObject([{ id }]);
      expect(structured(await call("ada", ...tool("undo", { id })))["undone"]).toMatchObject({ id });
    });
  });

  it("are everybody's where the operator says so", async () => {
    const directory = makeDirectory("shared");
    await withServer("filesystem", ["--shared-undo", directory], async (call) => {
      const path = join(directory, "a.txt");
      const id = structured(await call("ada", ...tool("write_file", { path, content: "a" })))["undo"];
      expect(structured(await call("bob", ...tool("undo", { id })))["undone"]).toMatchObject({ id });
    });
  });

  it("are neither seen nor undone by another: git", async () => {
    const directory = makeDirectory("repository");
    const git = (...args: string[]): void =>
      void execFileSync("git", args, { cwd: directory, stdio: "ignore" });
    git("init", "-b", "main");
    git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--allow-empty", "-m", "first");
    writeFileSync(join(directory, "a.txt"), "a\n");
    await withServer("git", [directory], async (call) => {
      const id = structured(await call("ada", ...tool("git_add", { files: ["a.txt"] })))["undo"];
      expect(id).toBeTypeOf("string");
      expect(structured(await call("bob", ...tool("git_undo")))["changes"]).toEqual([]);
      for (const which of ["last", id]) {
        expect((await call("bob", ...tool("git_undo", { id: which }))).result?.["isError"]).toBe(true);
      }
      expect(structured(await call("ada", ...tool("git_undo", { id })))["undone"]).toMatchObject({ id });
    });
  });
});

it("a result that one caller stored cannot be read by another, nor can insights", async () => {
  await withServer("sqlite", [":memory:"], async (call) => {
    const query = { query: "SELECT 42 AS answer", store: true };
    const { uri } = structured(await call("ada", ...tool("read_query", query)));
    expect(JSON.stringify(await call("ada", "resources/read", { uri }))).toContain("42");
    expect((await call("bob", "resources/read", { uri })).error).toMatchObject({ code: -32602 });
    await call("ada", ...tool("append_insight", { insight: "Sales fall." }));
    const memoOf = async (who: string): Promise<string> =>
      JSON.stringify(await call(who, "resources/read", { uri: "memo://insights" }));
    expect(await memoOf("ada")).toContain("Sales fall.");
    expect(await memoOf("bob")).toContain("No insights yet.");
  });
});

it("a page that one caller fetched is neither named, read nor forgotten by another", async () => {
  const web = await openWeb({ "/pay": { headers: { "cache-control": "max-age=600" }, body: "payroll" } });
  const url = `${web.origin}/pay?token=secret`;
  await withServer("fetch", ["--allow-private-hosts", web.host, "--ignore-robots-txt"], async (call) => {
    const { uri } = structured(await call("ada", ...tool("fetch", { url })));
    for (const [method, params] of [
      ["resources/list", {}],
      ["completion/complete", completing("fetch://page/{id}", "id")],
      ["completion/complete", completing("fetch://url/{+url}", "url")],
    ] as const) {
      const named = new RegExp(`token=secret|${String(uri).slice(-12)}`);
      expect.soft(JSON.stringify(await call("ada", method, params)), method).toMatch(named);
      expect.soft(JSON.stringify(await call("bob", method, params)), method).not.toMatch(named);
    }
    expect((await call("bob", "resources/read", { uri })).error).toMatchObject({ code: -32602 });
    expect((await call("bob", ...tool("fetch", { url: uri }))).result).toMatchObject({ isError: true });
    expect(structured(await call("bob", ...tool("clear_cache")))).toMatchObject({ pages: 0, bytes_left: 0 });
    expect(structured(await call("bob", ...tool("fetch", { url })))).toMatchObject({ cache: "fetched" });
    expect(structured(await call("ada", ...tool("fetch", { url })))).toMatchObject({ cache: "fresh", uri });
    expect(structured(await call("ada", ...tool("clear_cache")))).toMatchObject({ pages: 1, bytes_left: 0 });
  });
});

const completing = (uri: string, name: string): Fields => ({
  ref: { type: "ref/resource", uri },
  argument: { name, value: "" },
});
