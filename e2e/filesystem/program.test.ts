import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { BOTH_ENDS, type Fields } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { openFiles, runFiles } from "./program.ts";
import { FILESYSTEM } from "../support/servers.ts";
import { createProject } from "./project.ts";
import { Wire } from "../support/wire.ts";

const NAME = "suite-server-filesystem";

describe("the program prints", () => {
  it("--help: its arguments and examples", async () => {
    const { code, stdout, stderr } = await runFiles(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^Usage: ${NAME} \\[options\\] \\[DIR\\.\\.\\.\\]\n`));
    expect(stdout).toContain(`  ${NAME} ~/project\n`);
    expect(stdout).not.toContain("\u001B");
  });

  it("--version: the same as to its clients", async () => {
    const { code, stdout } = await runFiles(["--version"]);
    const wire = await openFiles([createPlace()], { revision: "2025-11-25" });
    const info = wire.heard[0]?.result?.["serverInfo"] as { readonly version: string } | undefined;
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${NAME} ${info?.version}\n` });
  });

  it("--print-config: its own settings, too, with where they came from", async () => {
    const folder = createPlace();
    const config = join(createPlace(), "config.json");
    writeFileSync(config, JSON.stringify({ undoDays: 3 }));
    const args = ["--print-config", "--links", "refuse", "--config", config, folder];
    const { code, stdout } = await runFiles(args, { SUITE_FILESYSTEM_ROOTS: "ignore" });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^roots +ignore +environment variable SUITE_FILESYSTEM_ROOTS$/m);
    expect(stdout).toMatch(/^links +refuse +flag --links$/m);
    expect(stdout).toMatch(new RegExp(`^undoDays +3 +file ${config}$`, "m"));
    expect(stdout).toMatch(new RegExp(`^directories +${folder} +argument DIR$`, "m"));
    expect(stdout).toMatch(/^allowGitWrites +false +default$/m);
  });

  it("--print-config --json: the same for programs", async () => {
    const folders = [createPlace(), createPlace()];
    const { stdout } = await runFiles(["--print-config", "--json", ...folders]);
    expect(JSON.parse(stdout)).toMatchObject({
      directories: { value: folders, origin: "argument", name: "DIR" },
      roots: { value: "narrow", origin: "default" },
    });
  });
});

interface Report extends Fields {
  readonly checks: readonly Fields[];
}

describe("--doctor", () => {
  const examine = async (...directories: readonly string[]): Promise<{ code: unknown; found: Fields }> => {
    const { code, stdout } = await runFiles(["--doctor", "--json", ...directories]);
    const { healthy, checks } = JSON.parse(stdout) as Report;
    expect(healthy).toBe(code === 0);
    return { code, found: checks.find(({ name }) => name === "directories") ?? {} };
  };

  it("finds directories that can be used", async () => {
    const folders = [createPlace(), createPlace()];
    expect(await examine(...folders)).toMatchObject({
      code: 0,
      found: { status: "ok", found: folders.join(", ") },
    });
    const { stdout, code } = await runFiles(["--doctor", ...folders]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok +directories: /m);
  });

  it("misses those that are not there, or are none, and ends with 69", async () => {
    const folder = createProject();
    const missing = join(folder, "nowhere");
    expect(await examine(folder, missing)).toMatchObject({
      code: 69,
      found: { status: "missing", hint: `${missing} does not exist` },
    });
    const file = join(folder, "README.md");
    expect(await examine(file)).toMatchObject({
      code: 69,
      found: { status: "missing", hint: `${file} is not a directory` },
    });
    const { stdout, code } = await runFiles(["--doctor", missing]);
    expect(code).toBe(69);
    expect(stdout).toMatch(
      /^MISSING +directories: [\s\S]*nowhere does not exist\nok +documents: .*\nSomething it needs is missing\.\n$/m,
    );
  });

  it("says what becomes of it when none is given", async () => {
    const { code, found } = await examine();
    expect({ code, status: found["status"] }).toEqual({ code: 0, status: "warning" });
    expect(found["hint"]).toMatch(/asked for them; for others, name a directory/);
  });
});

describe("a command line that is wrong", () => {
  const folder = createPlace();

  it.each<[string[], NodeJS.ProcessEnv, number, string]>([
    [["--root", "ignore", folder], {}, 64, "Unknown option --root (did you mean --roots?)"],
    [["--roots", "narow", folder], {}, 64, '--roots: expected one of narrow, replace, ignore, got "narow"'],
    [["--undo-days", "0", folder], {}, 64, "--undo-days: expected"],
    [
      [folder],
      { SUITE_FILESYSTEM_LINKS: "follow" },
      78,
      "SUITE_FILESYSTEM_LINKS: expected one of inside, refuse",
    ],
  ])("%j %j", async (args, env, code, text) => {
    const outcome = await runFiles(args, env);
    expect(outcome).toMatchObject({ code, stdout: "" });
    expect(outcome.stderr).toContain(text);
    expect(outcome.stderr.startsWith(`${NAME}: `)).toBe(true);
    expect(outcome.stderr).not.toMatch(/^ +at /m);
  });
});

describe("a directory that does not exist", () => {
  it.each(BOTH_ENDS)("ends the program with 78 and a reason, in %s", async (revision) => {
    const missing = join(createPlace(), "nowhere");
    const file = join(createProject(), "README.md");
    for (const [path, what] of [
      [missing, "does not exist"],
      [file, "is not a directory"],
    ] as const) {
      const wire = await Wire.open([...FILESYSTEM, path]);
      const params = {
        protocolVersion: revision,
        capabilities: {},
        clientInfo: { name: "wire", version: "1" },
      };
      wire.send("initialize", params);
      expect(await wire.exited).toMatchObject({ code: 78 });
      expect(wire.stderr).toBe(`${NAME}: ${path} ${what}\n${NAME}: Name directories that exist.\n`);
    }
  });
});
