import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "@suite/core/testing";
import { afterAll, describe, expect, it } from "vitest";

import { createServer } from "../../../src/serving/contract/create-server.ts";
import type { EnvironmentCheck } from "../../../src/serving/contract/environment.ts";
import { Fault } from "../../../src/domain/errors/fault.ts";
import { examine } from "../../../src/serving/program/doctor.ts";
import { resolveOptions } from "../../../src/serving/options/resolve.ts";
import { standardOptions } from "../../../src/serving/options/standard-options.ts";
import type { Program, ProgramOptions } from "../../../src/serving/program/program.ts";
import { ProgramRun } from "../../../src/serving/program/run.ts";
import { toolThat } from "../contract/sample.ts";
import { RecordedIo } from "./recorded-io.ts";

const defaults = (await resolveOptions({ table: standardOptions, positionals: {}, argv: [], env: {} }))
  .options as ProgramOptions;
const git: EnvironmentCheck = {
  name: "git",
  run: () => ({ status: "ok", needed: "git 2.30", found: "2.39" }),
};
const trash: EnvironmentCheck = {
  name: "trash",
  run: () => ({ status: "warning", needed: "a folder for the trash", hint: "Make one." }),
};
const gone: EnvironmentCheck = {
  name: "database",
  run: async () => ({ status: "missing", needed: "a file", hint: "Name one with --db." }),
};

const app = (checks: readonly EnvironmentCheck[] = []): Program => ({
  name: "app",
  version: "1.2.3",
  description: "An app.",
  checks: () => checks,
  create: () => expect.unreachable(),
});

const same = (data: unknown): unknown => data;
const node = `ok       node: ${process.versions.node} (needs Node.js 20.19 or later)`;

describe("--doctor", () => {
  it("says for people what is there", async () => {
    expect(await examine(app([git, trash]), defaults, same)).toEqual({
      text: [
        "app 1.2.3",
        node,
        "ok       git: 2.39 (needs git 2.30)",
        "warning  trash: found (needs a folder for the trash)",
        "         Make one.",
        "It can run, with the warnings above.",
        "",
      ].join("\n"),
      exitCode: 0,
    });
  });

  it("says what is missing and how to get it, and so does the exit code", async () => {
    expect(await examine(app([gone]), defaults, same)).toEqual({
      text: [
        "app 1.2.3",
        node,
        "MISSING  database: not found (needs a file)",
        "         Name one with --db.",
        "Something it needs is missing.",
        "",
      ].join("\n"),
      exitCode: 69,
    });
  });

  describe("looks at what the operator named, as a start would", () => {
    const folder = mkdtempSync(join(tmpdir(), "doctor-"));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    const disposed: string[] = [];
    const create: Program["create"] = (_, { contract }) =>
      createServer(
        {
          name: "app",
          version: "1",
          state: undefined,
          tools: [toolThat(() => ({ said: "" }))],
          dispose: () => void disposed.push("server"),
        },
        contract,
      );
    const look = async (args: readonly string[], program: Partial<Program> = {}) => {
      const io = new RecordedIo(["--doctor", ...args]);
      await new ProgramRun({ ...app(), create, ...program }, io).run();
      return { lines: io.out.split("\n").slice(2, -1), exits: io.exits };
    };

    it("the names of --tools, and leaves no server behind", async () => {
      expect(await look(["--tools", "say"])).toEqual({
        lines: [
          "ok       tools: say (needs tools or groups of these names)",
          "Everything it needs is there.",
        ],
        exits: [0],
      });
      expect(disposed).toEqual(["server"]);
      expect(await look(["--exclude-tools", "sya"])).toEqual({
        lines: [
          'MISSING  tools: there is no tool or group "sya" (did you mean say?) (needs tools or groups of these names)',
          "         Choose from: say.",
          "Something it needs is missing.",
        ],
        exits: [69],
      });
    });

    needs(it, "symbolic links")("the file of --audit-log, and makes none", async () => {
      const file = join(folder, "audit.jsonl");
      const { lines, exits } = await look(["--audit-log", file]);
      expect({ first: lines[0], exits }).toEqual({
        first: `ok       audit-log: ${file} (needs a file that can be written)`,
        exits: [0],
      });
      expect(existsSync(file)).toBe(false);
      const missing = join(folder, "no", "audit.jsonl");
      const circle = join(folder, "circle");
      symlinkSync("circle", circle);
      for (const [given, words] of [
        [folder, "is a directory"],
        [missing, "does not exist"],
        [circle, "is a symbolic link that forms a loop or may not be followed"],
      ] as const) {
        const refused = await look(["--audit-log", given]);
        expect(refused.lines[0]).toBe(
          `MISSING  audit-log: ${given} ${words} (needs a file that can be written)`,
        );
        expect(refused.exits).toEqual([69]);
      }
    });

    it.each([
      [
        ["--http", "0.0.0.0:0"],
        "Refusing to listen on 0.0.0.0 without authorization: other machines may reach it",
      ],
      [
        ["--http", "0", "--auth-introspection-endpoint", "https://login.example.com"],
        "Authorization: issuer is missing: name the authorization server",
      ],
    ])("whether HTTP can be served with %j", async (args, complaint) => {
      const { lines, exits } = await look(args);
      expect({ first: lines[0], exits }).toEqual({
        first: `MISSING  settings: ${complaint} (needs settings that can be used)`,
        exits: [69],
      });
      expect(await look(["--http", "0"])).toEqual({ lines: ["Everything it needs is there."], exits: [0] });
    });

    it("what validate says, be it a fault", async () => {
      const validate = (): never => {
        throw new Fault("not_found", "app.db does not exist.", { hint: "Give --create." });
      };
      expect(await look(["--tools", "say"], { validate })).toEqual({
        lines: [
          "MISSING  settings: app.db does not exist. (needs settings that can be used)",
          "         Give --create.",
          "Something it needs is missing.",
        ],
        exits: [69],
      });
    });
  });
});
