import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, vi } from "vitest";
import { writeTree } from "./tree.ts";

const toPath = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const PATH = `${toPath("../../node_modules/.bin")}${delimiter}${process.env["PATH"]}`;

it("says all that is wrong with a package before it is published", () => {
  const folder = writeTree({
    "package.json": JSON.stringify({
      name: "@suite/server-big",
      version: "1.0.0",
      mcpName: "io.github.somebody/other",
      repository: { type: "git", url: "git+https://github.com/somebody/suite.git" },
      bin: { big: "./dist/main.js" },
      tools: "./src/tools.ts",
      files: ["dist", "src"],
      dependencies: { a: "1", b: "1" },
    }),
    "dist/main.js": `#!/usr/bin/env node\n//${"x".repeat(2_300_000)}\n`,
    "dist/main.js.map": "{}",
    "src/main.ts": "",
  });
  const { status, stderr } = spawnSync(process.execPath, [toPath("../package.mjs")], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PATH },
  });
  expect(status).toBe(1);
  for (const problem of [
    "package.json lacks license",
    "package.json lacks keywords",
    "README.md is not in the package",
    "LICENSE is not in the package",
    "dist/main.js.map does not belong in the package",
    "src/main.ts does not belong in the package",
    "are more than its limit of 2228224",
    'mcpName is not "io.github.OWNER/big" (npm run fix writes it)',
    "homepage is not",
    "bugs is not",
    'repository is not {"type":"git","url":"git+https://github.com/OWNER/suite.git","directory":',
    "one dependency at most",
  ]) {
    expect(stderr).toContain(problem);
  }
});

it("leaves nothing behind when SIGTERM stops it", async () => {
  const folder = writeTree({
    "package.json": JSON.stringify({ name: "slow", version: "1.0.0", scripts: { prepack: "node wait.cjs" } }),
    // Until the test is over and the folder is gone.
    "wait.cjs": `const { existsSync, writeFileSync } = require("node:fs");
      writeFileSync("started", "");
      setInterval(() => existsSync(__filename) || process.exit(), 20);`,
  });
  const TMPDIR = join(folder, "temporary");
  mkdirSync(TMPDIR);
  const env = { ...process.env, PATH, TMPDIR };
  const child = spawn(process.execPath, [toPath("../package.mjs")], { cwd: folder, env, stdio: "ignore" });
  const exit = once(child, "exit");
  await vi.waitUntil(() => existsSync(join(folder, "started")), { timeout: 60_000 });
  child.kill();
  expect(await exit).toEqual([null, "SIGTERM"]);
  expect(readdirSync(TMPDIR)).toEqual([]);
});
