import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createServer as createCoreServer } from "@suite/core";
import { describe, expect, it } from "vitest";

import { createServer } from "../../src/contract/create-server.ts";
import { type ContractSettings, defaultContract } from "../../src/contract/settings.ts";
import { Fault } from "../../src/errors/fault.ts";
import { ExitError, type ExitReason } from "../../src/exit.ts";
import { defineOptions, definePositionals } from "../../src/options/option.ts";
import type { Program, ProgramContext } from "../../src/program/program.ts";
import { Run, runServer } from "../../src/program/run.ts";
import { RecordedIo } from "./recorded-io.ts";

const SECRET = "hunter2-planted";
const description = "…";
const server: Program["create"] = (_, { contract }) =>
  createServer({ name: "app", version: "1.2.3", state: undefined, tools: [] }, contract);
const app: Program = { name: "app", version: "1.2.3", description: "An app.", create: server };

async function run(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program: Partial<Program> = {},
): Promise<RecordedIo> {
  const io = new RecordedIo(args, env);
  await new Run({ ...app, ...program }, io).run();
  return io;
}

describe("what is printed instead of serving", () => {
  const neverCreate = { create: () => expect.unreachable() };

  it.each([
    ["--version", /^app 1\.2\.3\n$/],
    ["-v", /^app 1\.2\.3\n$/],
    ["--help", /^Usage: app \[options\]\n/],
    ["-h", /^Usage: app \[options\]\n/],
    ["--print-config", /^readOnly +false +default\n/],
    ["--doctor", /^app 1\.2\.3\nok {7}node: [\d.]+ \(needs Node\.js/],
  ])("%s", async (flag, text) => {
    const io = await run([flag], {}, neverCreate);
    expect(io.out).toMatch(text);
    expect({ err: io.err, exits: io.exits }).toEqual({ err: "", exits: [0] });
  });

  it("--help, even if the rest is wrong: that may be why it is asked for", async () => {
    const io = await run(["--bogus", "--help"], { SUITE_SSE: "maybe" }, neverCreate);
    expect(io.exits).toEqual([0]);
  });
});

describe("what is wrong", () => {
  const TIME = "a time from 1ms to 24 days, such as 30s or 5m";

  it.each<[string[], Record<string, string>, number, string]>([
    [["--bogus"], {}, 64, "app: Unknown option --bogus\nTry app --help.\n"],
    [["--sse"], {}, 64, "app: --sse does nothing without --http\nTry app --help.\n"],
    [["--json"], {}, 64, "app: --json does nothing without --print-config or --doctor\nTry app --help.\n"],
    [["--timeout", "0s"], {}, 64, `app: --timeout: expected ${TIME}, got "0s"\nTry app --help.\n`],
    [[], { SUITE_MAX_TIMEOUT: "600h" }, 78, `app: SUITE_MAX_TIMEOUT: expected ${TIME}, got "600h"\n`],
    [[], { SUITE_SSE: "maybe" }, 78, 'app: SUITE_SSE: expected true or false, got "maybe"\n'],
    [
      ["--sse"],
      { SUITE_WEBSOCKET: "maybe" },
      64,
      'app: SUITE_WEBSOCKET: expected true or false, got "maybe"\napp: --sse does nothing without --http\nTry app --help.\n',
    ],
  ])("%j %j", async (args, env, code, err) => {
    const io = await run(args, env);
    expect({ out: io.out, err: io.err, exits: io.exits }).toEqual({ out: "", err, exits: [code] });
  });

  it.each<[ExitReason, number]>([
    ["usage", 64],
    ["unavailable", 69],
    ["internal", 70],
    ["configuration", 78],
  ])("create may end the program: %s", async (reason, code) => {
    const create = () => {
      throw new ExitError(reason, "git is not here", { hint: "Install it." });
    };
    const io = await run([], {}, { create });
    expect(io.exits).toEqual([code]);
    expect(io.err).toMatch(/^app: git is not here\napp: Install it\.\n/);
  });

  it("what validate finds is told before a server is made", async () => {
    const validate = (): never => {
      throw new ExitError("configuration", "no such folder", { hint: "Make it." });
    };
    const io = await run([], {}, { validate, create: () => expect.unreachable() });
    expect({ err: io.err, exits: io.exits }).toEqual({
      err: "app: no such folder\napp: Make it.\n",
      exits: [78],
    });
  });

  it("an error nobody foresaw is internal, and its stack is for whoever debugs", async () => {
    const create = () => Promise.reject(new Error("oops"));
    const io = await run([], {}, { create });
    expect({ err: io.err, exits: io.exits }).toEqual({ err: "app: internal error: oops\n", exits: [70] });
    expect((await run(["--log-level", "debug"], {}, { create })).err).toContain("run.test.ts");
  });
});

describe("what create is told", () => {
  it("its own options and arguments, the common ones, and where they came from", async () => {
    const seen: unknown[] = [];
    const io = new RecordedIo(["--db-path", "a.db", "x", "y", "--http", "nowhere.invalid:1"], {
      SUITE_INSECURE_NO_AUTH: "1",
    });
    runServer(
      {
        ...app,
        options: defineOptions({
          dbPath: { flag: "--db-path", type: "string", required: true, description },
        }),
        positionals: definePositionals({ folders: { placeholder: "DIR", type: "list", description } }),
        create({ dbPath, folders, logLevel }, { origins }) {
          seen.push(dbPath.toUpperCase(), folders.length, logLevel, origins["dbPath"]);
          throw new ExitError("usage", "enough seen");
        },
      },
      io,
    );
    await io.hears("enough seen");
    expect(seen).toEqual(["A.DB", 2, "info", { kind: "flag", name: "--db-path" }]);
  });

  it("a server's own table may replace common options", async () => {
    const logLevel = {
      flag: "--log-level",
      type: "enum",
      values: ["debug", "off"],
      default: "off",
      description,
    } as const;
    const io = await run(["--print-config"], {}, { options: { logLevel } });
    expect(io.out).toMatch(/^logLevel +off +default\nreadOnly /);
  });
});

describe("what the operator decided about tools", () => {
  const contractOf = async (
    args: readonly string[],
    program: Partial<Program> = {},
  ): Promise<ContractSettings> => {
    let contract: ContractSettings | undefined;
    const create = (_: unknown, context: ProgramContext): never => {
      contract = context.contract;
      throw new ExitError("usage", "enough seen");
    };
    await run(args, {}, { ...program, create });
    return contract ?? expect.fail("create was not called");
  };

  it("is nothing if nothing is said", async () => {
    const { redact: _, report: __, ...settings } = defaultContract;
    expect(await contractOf([])).toMatchObject(settings);
    expect(await contractOf(["--log-level", "off"])).toMatchObject(settings);
  });

  it("is what create is told", async () => {
    const checks = () => [{ name: "git", run: () => expect.unreachable() }];
    const args = ["--read-only", "--tools", "a,b", "--tools=c", "--exclude-tools", "d", "--confirm"];
    const contract = await contractOf([...args, "--timeout", "5s", "--max-timeout", "1m"], { checks });
    expect(contract).toMatchObject({
      readOnly: true,
      tools: ["a", "b", "c"],
      excludeTools: ["d"],
      confirm: true,
      timeoutMs: 5000,
      maxTimeoutMs: 60_000,
      audit: undefined,
      checks: [{ name: "git" }],
    });
  });

  it("allows calls the usual time at least", async () => {
    expect(await contractOf(["--timeout", "1h"])).toMatchObject({
      timeoutMs: 3_600_000,
      maxTimeoutMs: 3_600_000,
    });
  });

  it("opens the audit log before anything is served", async () => {
    const folder = mkdtempSync(join(tmpdir(), "suite-run-"));
    const file = join(folder, "audit.jsonl");
    const { audit } = await contractOf(["--audit-log", file]);
    audit?.close();
    expect(existsSync(file)).toBe(true);
    rmSync(folder, { recursive: true });
    const refused = await run(
      ["--audit-log", join(folder, "gone")],
      {},
      { create: () => expect.unreachable() },
    );
    expect(refused.exits).toEqual([78]);
    expect(refused.err).toMatch(/^app: the audit log .* cannot be written \(ENOENT\)\n$/);
  });

  it("reports what nobody foresaw on standard error, without secrets", async () => {
    const options = { token: { env: "APP_TOKEN", type: "string", secret: true, description } } as const;
    const create = (_: unknown, { contract }: ProgramContext): never => {
      contract.report(new Error(`inner ${SECRET}`));
      throw new ExitError("usage", "enough seen");
    };
    const { err } = await run([], { APP_TOKEN: SECRET }, { options, create });
    expect(err).toContain("app: error: inner [hidden]\n");
  });

  it("is no option of a server that is made with the core alone", async () => {
    const io = await run(["--read-only"], {}, { keepsContract: false, create: () => expect.unreachable() });
    expect({ err: io.err, exits: io.exits }).toEqual({
      err: "app: Unknown option --read-only\nTry app --help.\n",
      exits: [64],
    });
    const create = (): never => {
      throw new ExitError("usage", "enough seen");
    };
    expect((await run(["--log-level", "off"], {}, { keepsContract: false, create })).err).toContain(
      "enough seen",
    );
  });
});

describe("secrets", () => {
  const options = { token: { env: "APP_TOKEN", type: "string", secret: true, description } } as const;
  const env = { APP_TOKEN: SECRET };

  it("in a list are secrets each, and one that is empty hides nothing", async () => {
    const list = { keys: { env: "APP_KEYS", type: "list", secret: true, description } } as const;
    const create = (): never => {
      throw new Error("first and second were refused");
    };
    const both = await run([], { APP_KEYS: "first,second" }, { options: list, create });
    expect(both.err).toContain("[hidden] and [hidden] were refused");
    const none = await run([], { APP_TOKEN: "" }, { options, create });
    expect(none.err).toContain("first and second were refused");
  });

  it("appear nowhere: not in --print-config, not in errors, not in logs", async () => {
    const create = (_: unknown, { log, redact }: ProgramContext) => {
      log.warning(`using ${SECRET}`);
      throw new Error(`${SECRET} was refused: ${JSON.stringify(redact({ header: `Bearer ${SECRET}` }))}`);
    };
    const runs = [
      await run(["--print-config"], env, { options }),
      await run(["--print-config", "--json"], env, { options }),
      await run(["--help"], env, { options }),
      await run(["--log-level", "debug"], env, { options, create }),
    ];
    const texts = runs.map(({ out, err }) => out + err);
    expect(texts.filter((text) => text.includes(SECRET))).toEqual([]);
    expect(texts[0]).toMatch(/^token +\(hidden\) +environment variable APP_TOKEN$/m);
    expect(texts[3]).toContain("app: warning: using [hidden]\n");
    expect(texts[3]).toContain('[hidden] was refused: {"header":"Bearer [hidden]"}');
  });
});

describe("HTTP", () => {
  const dispose = (events: string[]) => ({
    create: (_: unknown, { contract }: ProgramContext) =>
      createServer(
        {
          name: "app",
          version: "1",
          state: undefined,
          tools: [],
          dispose: () => void events.push("disposed"),
        },
        contract,
      ),
  });

  it("serves until a signal comes, then ends cleanly", async () => {
    const events: string[] = [];
    const io = new RecordedIo(["--http", "0", "--log-level", "debug"]);
    const create: Program["create"] = (_, { contract }) =>
      createServer(
        {
          name: "app",
          version: "1",
          state: undefined,
          tools: [],
          dispose: () => void events.push("disposed"),
        },
        contract,
      );
    runServer({ ...app, create }, io);
    const [, url = ""] =
      /^app: listening on (http:\/\/127\.0\.0\.1:\d+\/mcp)\n$/.exec(await io.hears("listening")) ?? [];
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    });
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const response = await fetch(url, { method: "POST", headers, body });
    expect(await response.json()).toMatchObject({ result: { protocolVersion: "2025-06-18" } });
    io.emit("SIGTERM");
    await io.hears("SIGTERM: finishing");
    await new Promise((resolve) => io.once("exited", resolve));
    expect({ events, exits: io.exits, out: io.out }).toEqual({ events: ["disposed"], exits: [0], out: "" });
  });

  it.each([
    ["by a flag", ["--http", "0.0.0.0:0"], {}, 64],
    ["by the environment", [], { SUITE_HTTP: "0.0.0.0:0" }, 78],
  ])("refuses to be open to others without authorization, asked %s", async (_, args, env, code) => {
    const io = await run(args, env, { create: () => expect.unreachable() });
    expect(io.exits).toEqual([code]);
    expect(io.err).toContain("--auth-issuer");
    expect(io.err).toContain("--insecure-no-auth");
  });

  it("half a configuration of authorization is an error, on loopback too", async () => {
    const io = await run(["--http", "0", "--auth-audience", "https://example.com/mcp"]);
    expect(io.exits).toEqual([78]);
    expect(io.err).toContain("app: Authorization: issuer is missing");
  });

  it("with authorization, nobody is let in without a token", async () => {
    const io = new RecordedIo([
      "--http",
      "0",
      "--auth-issuer",
      "http://127.0.0.1:1",
      "--auth-resource",
      "https://example.com/mcp",
    ]);
    runServer(app, io);
    const url = /http:\S+/.exec(await io.hears("listening"))?.[0] ?? "";
    const response = await fetch(url, {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json" },
    });
    expect(response.status).toBe(401);
    io.emit("SIGINT");
    await new Promise((resolve) => io.once("exited", resolve));
    expect(io.exits).toEqual([0]);
  });

  it("a port in use is nobody's mistake", async () => {
    const other = createHttpServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const events: string[] = [];
    const io = await run(["--http", String(port)], {}, dispose(events));
    other.close();
    expect({ events, exits: io.exits }).toEqual({ events: ["disposed"], exits: [69] });
    expect(io.err).toBe(
      `app: Port ${port} of 127.0.0.1 is already in use. Take another, or 0 for any free one.\n`,
    );
  });

  it("so is an address that is not there", async () => {
    const io = await run(["--http", "192.0.2.1:0", "--insecure-no-auth"]);
    expect({ err: io.err, exits: io.exits }).toEqual({
      err: "app: 192.0.2.1 is no address of this machine.\n",
      exits: [69],
    });
  });
});

describe("a server that was made without its contract", () => {
  const bare = () => createCoreServer({ name: "app", version: "1" });
  const refusal = [
    "app: the server was not made with the contract that create was given",
    "app: Make it with createServer of @suite/server-kit, or declare keepsContract: false.",
    "",
  ].join("\n");

  it.each<[string, Program["create"]]>([
    ["with the core alone", bare],
    [
      "with a contract of its own",
      (_, { contract }) =>
        createServer(
          { name: "app", version: "1", state: undefined, tools: [] },
          { ...contract, readOnly: false },
        ),
    ],
  ])("is refused before it serves anybody: %s", async (_, create) => {
    for (const args of [["--read-only"], ["--read-only", "--http", "0"]]) {
      const io = await run(args, {}, { create });
      expect({ err: io.err, exits: io.exits }).toEqual({ err: refusal, exits: [70] });
    }
  });

  it("may add to it, or say that it keeps none", async () => {
    const added: Program["create"] = (_, { contract }) =>
      createServer({ name: "app", version: "1", state: undefined, tools: [] }, { ...contract, checks: [] });
    for (const program of [{ create: added }, { create: bare, keepsContract: false as const }]) {
      const io = new RecordedIo(["--http", "0"]);
      runServer({ ...app, ...program }, io);
      expect(await io.hears("listening")).toContain("listening");
      io.emit("SIGTERM");
      await new Promise((resolve) => io.once("exited", resolve));
    }
  });
});

it.each([
  ["create", "not_found", 78],
  ["validate", "permission_denied", 78],
  ["create", "unavailable", 69],
  ["create", "internal", 70],
] as const)("a fault of %s (%s) ends the program with %s and its hint", async (where, code, exitCode) => {
  const fail = (): never => {
    throw new Fault(code, "No database.", { hint: "Name one with --db." });
  };
  const io = await run([], {}, { [where]: fail });
  const words =
    code === "internal" ? "internal error: No database." : "No database.\napp: Name one with --db.";
  expect({ err: io.err, exits: io.exits }).toEqual({ err: `app: ${words}\n`, exits: [exitCode] });
});
