import { describe, expect, it } from "vitest";

import { Fault } from "../../../src/domain/errors/fault.ts";
import { ExitError, type ExitReason } from "../../../src/serving/options/exit.ts";
import { defineOptions, definePositionals } from "../../../src/serving/options/option.ts";
import { defineIntroduction } from "../../../src/serving/program/introduction.ts";
import type { ProgramContext } from "../../../src/serving/program/program.ts";
import { runServer } from "../../../src/serving/program/run.ts";
import { app, run } from "./app.ts";
import { RecordedIo } from "./recorded-io.ts";

const SECRET = "hunter2-planted";
const description = "…";

describe("what is wrong", () => {
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

  it("a server that is not what its introduction says is not served", async () => {
    const introduction = defineIntroduction({ info: { name: "app", version: "1.2.3" }, instructions: "" });
    const io = await run(["--http", "0"], {}, { introduction });
    expect(io.exits).toEqual([70]);
    expect(io.err).toMatch(/^app: the server's capabilities are not those of its introduction\n/);
    expect(io.err).not.toContain("prompts");
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
  it("its own options and arguments, and the common ones", async () => {
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
        create({ dbPath, folders, logLevel }) {
          seen.push(dbPath.toUpperCase(), folders.length, logLevel);
          throw new ExitError("usage", "enough seen");
        },
      },
      io,
    );
    await io.hears("enough seen");
    expect(seen).toEqual(["A.DB", 2, "info"]);
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
