import { describe, expect, it } from "vitest";

import type { Check, Report } from "../../src/contract/environment.ts";
import { examine } from "../../src/program/doctor.ts";
import { resolveOptions } from "../../src/options/resolve.ts";
import { standardOptions } from "../../src/options/standard-options.ts";
import type { Program, ProgramOptions } from "../../src/program/program.ts";
import { Run } from "../../src/program/run.ts";
import { RecordedIo } from "./recorded-io.ts";

const defaults = (await resolveOptions({ table: standardOptions, positionals: {}, argv: [], env: {} }))
  .options as ProgramOptions;
const SECRET = 'hunter2-"planted"';
const git: Check = { name: "git", run: () => ({ status: "ok", needed: "git 2.30", found: "2.39" }) };
const trash: Check = {
  name: "trash",
  run: () => ({ status: "warning", needed: "a folder for the trash", hint: "Make one." }),
};
const gone: Check = {
  name: "database",
  run: async () => ({ status: "missing", needed: "a file", hint: "Name one with --db." }),
};

const app = (checks: readonly Check[] = []): Program => ({
  name: "app",
  version: "1.2.3",
  description: "An app.",
  options: { token: { env: "APP_TOKEN", type: "string", secret: true, description: "…" } },
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
        "Everything it needs is there.",
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

  it("says the same for programs with --json", async () => {
    const { text, exitCode } = await examine(app([git, gone]), { ...defaults, json: true }, same);
    expect(exitCode).toBe(69);
    const report = JSON.parse(text) as Report;
    expect(report).toMatchObject({ server: "app", version: "1.2.3", healthy: false });
    expect(report.checks.slice(1)).toEqual([
      { name: "git", status: "ok", needed: "git 2.30", found: "2.39" },
      { name: "database", status: "missing", needed: "a file", hint: "Name one with --db." },
    ]);
  });

  it("looks for nothing but Node.js where nothing else is needed", async () => {
    const { checks: _, ...rest } = app();
    const { text } = await examine(rest, defaults, same);
    expect(text).toBe(`app 1.2.3\n${node}\nEverything it needs is there.\n`);
  });

  it.each([[["--doctor"]], [["--doctor", "--json"]]])(
    "%j shows no secret, and serves nothing",
    async (args) => {
      const leaky: Check = { name: "token", run: () => Promise.reject(new Error(`${SECRET} was refused`)) };
      const io = new RecordedIo(args, { APP_TOKEN: SECRET });
      await new Run(app([leaky]), io).run();
      expect({ err: io.err, exits: io.exits }).toEqual({ err: "", exits: [69] });
      expect(io.out).toContain("[hidden] was refused");
      expect(io.out).not.toContain("hunter2");
    },
  );

  it("is told the options", async () => {
    const checks: Program["checks"] = ({ timeout }) => [
      { name: "time", run: () => ({ status: "ok", needed: "time", found: `${timeout}` }) },
    ];
    const io = new RecordedIo(["--doctor", "--timeout", "5s"]);
    await new Run({ ...app(), checks }, io).run();
    expect(io.out).toContain("ok       time: 5000 (needs time)");
  });
});
