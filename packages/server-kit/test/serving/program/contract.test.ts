import { createServer as createCoreServer } from "@suite/core";
import { describe, expect, it } from "vitest";

import { createServer } from "../../../src/serving/contract/create-server.ts";
import { type ContractSettings, defaultContract } from "../../../src/serving/contract/settings.ts";
import { ExitError } from "../../../src/serving/options/exit.ts";
import type { Program, ProgramContext } from "../../../src/serving/program/program.ts";
import { runServer } from "../../../src/serving/program/run.ts";
import { app, run } from "./app.ts";
import { RecordedIo } from "./recorded-io.ts";

const SECRET = "hunter2-planted";
const description = "…";

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
    const { redact: _, report: __, ...others } = defaultContract;
    const settings = { ...others, checkResults: false };
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

describe("a server that was made without its contract", () => {
  const bare = () => createCoreServer({ name: "app", version: "1" });
  const refusal = [
    "app: the server does not use the contract that was passed to create",
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
