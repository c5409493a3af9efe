import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

const fuzz = (...args: readonly string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(process.execPath, ["scripts/fuzz.mjs", "--seed", "1", ...args], { cwd: root, encoding: "utf8" });

it("npm run fuzz has every parser read its own texts and some others", () => {
  const { status, stdout, stderr } = fuzz("--seconds", "0.2");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const read = [...stdout.matchAll(/^(\w+): (\d+) texts/gm)].map(([, name, count]) => [
    name,
    Number(count) > 3,
  ]);
  expect(read).toEqual(
    [
      "framing",
      "events",
      "schema",
      "globs",
      "patterns",
      "sql",
      "config",
      "html",
      "feeds",
      "csv",
      "cursors",
      "xml",
    ].map((name) => [name, true]),
  );
});

it("npm run fuzz finds what breaks a parser behind texts that reach it, and what takes too long", () => {
  const folder = mkdtempSync(join(tmpdir(), "suite-fuzz-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const parsers = join(folder, "parsers.ts");
  writeFileSync(
    parsers,
    `export const PARSERS = {
      deep: { seeds: ["start"], words: "a b c d", read(text) {
        for (const [at, word] of ["a", "b", "c"].entries()) if (text[at] !== word) return;
        throw new Error("too deep");
      } },
      slow: { seeds: ["x"], words: "y", read(text) {
        let found = 0;
        const start = text.slice(0, 3000);
        for (const one of start) for (const other of start) found += one === other ? 1 : 2;
        return found;
      } },
      fine: { seeds: ["x"], words: "y", read() {} },
    };`,
  );
  const planted = ["--parsers", parsers, "--slow-ms", "20"];
  const { status, stdout, stderr } = fuzz("--seconds", "60", ...planted, "--only", "deep,slow");
  expect(status).toBe(1);
  expect(stderr).toMatch(/^deep: \d+ texts.*--only deep --seed 1 found .*deep\.txt/m);
  expect(stderr).toMatch(/"abc.* Error: too deep/);
  expect(stderr).toMatch(/^slow: .*found/m);
  expect(stderr).toMatch(/Error: It takes \d+ ms/);
  expect(stdout).toBe("");
  const again = fuzz("--seconds", "0.2", ...planted, "--only", "fine");
  expect(again).toMatchObject({ status: 0, stderr: "" });
});
