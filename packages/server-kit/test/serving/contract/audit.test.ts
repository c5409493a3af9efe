import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { buildSync } from "esbuild";
import { needs } from "@suite/core/testing";
import { afterAll, describe, expect, it } from "vitest";

import { type AuditEntry, openAuditLog } from "../../../src/serving/contract/audit.ts";
import { toChildProgramBuild } from "../../../src/testing.ts";

const folder = mkdtempSync(join(tmpdir(), "suite-audit-"));
afterAll(() => rmSync(folder, { recursive: true }));

const entry: AuditEntry = {
  time: "2026-01-02T03:04:05.678Z",
  method: "tools/call",
  name: "say",
  outcome: "ok",
  durationMs: 1.5,
  bytes: 10,
  server: "sample 1.2.3",
};

describe("an audit log", () => {
  it("has a line for each entry, and keeps what was there", () => {
    const file = join(folder, "kept.jsonl");
    writeFileSync(file, "before\n");
    for (const name of ["a", "b\nc"]) {
      const log = openAuditLog(file);
      log.record({ ...entry, name });
      log.close();
    }
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(lines[0]).toBe("before");
    expect(lines.slice(1).map((line) => JSON.parse(line) as unknown)).toEqual([
      { ...entry, name: "a" },
      { ...entry, name: "b\nc" },
    ]);
  });

  needs(it, "file modes")("is for its owner alone", () => {
    const file = join(folder, "own.jsonl");
    openAuditLog(file).close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("takes nothing once it is closed, and can be closed twice", () => {
    const file = join(folder, "closed.jsonl");
    const log = openAuditLog(file);
    log.close();
    log.close();
    log.record(entry);
    expect(readFileSync(file, "utf8")).toBe("");
  });

  it.each([
    [() => folder, "is a directory"],
    [() => join(folder, "missing", "log"), "does not exist"],
  ])("that cannot be opened ends the program", (toFile, problem) => {
    expect(() => openAuditLog(toFile())).toThrow(
      expect.objectContaining({
        exitCode: 78,
        message: `the audit log cannot be written: ${toFile()} ${problem}`,
        hint: "Name a file in a directory that exists.",
      }),
    );
  });

  needs(it, "/dev/full")("says so if nothing can be written", () => {
    const log = openAuditLog("/dev/full");
    expect(() => log.record(entry)).toThrow("ENOSPC");
    log.close();
  });
});

/** For a process that may make files of a block at most; a signal would come with the limit. */
const LIMITED = `trap '' XFSZ; ulimit -f 1; exec "$0" "$1"`;

needs(it, "a shell")("a line that was cut short does not spoil the next", () => {
  const [program, script] = [join(folder, "write.ts"), join(folder, "write.mjs")];
  const file = join(folder, "torn.jsonl");
  const source = fileURLToPath(new URL("../../../src/serving/contract/audit.ts", import.meta.url));
  const contents = `
    import { truncateSync } from "node:fs";
    import { openAuditLog } from ${JSON.stringify(source)};
    const file = ${JSON.stringify(file)};
    const log = openAuditLog(file);
    const record = (name) => { try { log.record({ name }); return "ok" } catch ({ message }) { return message } };
    const outcomes = [record("a"), record("b".repeat(2000))];
    truncateSync(file, 25);
    console.log(JSON.stringify([...outcomes, record("c"), record("d")]));`;
  writeFileSync(program, contents);
  buildSync(toChildProgramBuild(program, folder));
  const outcomes = execFileSync("sh", ["-c", LIMITED, process.execPath, script], { encoding: "utf8" });
  const cut = `the audit log ${file} took only a part of a line`;
  expect(JSON.parse(outcomes)).toEqual(["ok", cut, "ok", "ok"]);
  expect(readFileSync(file, "utf8")).toBe('{"name":"a"}\n{"name":"bbb\n{"name":"c"}\n{"name":"d"}\n');
});
