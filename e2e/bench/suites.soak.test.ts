import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { inRoot } from "../support/root.ts";

/** What they expect of results changes with the tools, and nothing else would show it. */
it.each(["fresh", "core", "http", "sqlite", "fetch"])(
  "the benchmark %s still knows what its servers answer",
  (suite) => {
    const args = [inRoot("e2e/dist/bench/main.js"), suite, "--quick", "--rounds", "1"];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(stdout).toContain("| ours");
  },
);
