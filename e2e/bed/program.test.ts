import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { promisify } from "node:util";

import { expect, it } from "vitest";

import { undoAfterTest } from "../support/afterwards.ts";
import { capableIn } from "../support/asking.ts";
import { Child } from "../support/child.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { createPlace } from "../support/place.ts";
import { inRoot } from "../support/root.ts";

const run = promisify(execFile);
const TEMP = createPlace();

/** The bed as a person starts it. */
const runBed = (
  ...args: readonly string[]
): Promise<{ readonly stdout: string; readonly stderr: string; readonly code?: number }> =>
  run(process.execPath, [inRoot("e2e/dist/bed/main.js"), ...args], {
    env: { ...process.env, TMPDIR: TEMP },
    timeout: 4 * PATIENCE_MS,
  }).catch((error: unknown) => error as { stdout: string; stderr: string; code: number });

it("tells a server what is wrong, official clients and all, and says so with its exit code", async () => {
  const command = `${process.execPath} ${inRoot("e2e/dist/fixtures/liar.js")}`;
  const { stdout, code } = await runBed("--command", command, "--revision", "2025-11-25");
  expect(stdout).toContain("✗ tool calls: lie gives structuredContent that does not fit its outputSchema");
  for (const client of ["SDK v1", "SDK v2"])
    expect(stdout).toMatch(new RegExp(`✗ official clients: ${client}, 2025-11-25 .*output schema`));
  expect(stdout).toContain("✗ resource templates: The template broken is not one of RFC 6570: ");
  expect(code).toBe(1);
  // What the specification allows is no more than advised against.
  expect(stdout).toContain("! tool calls: An unknown tool gets a result instead of -32602");
  expect(stdout).toContain("! the end: It ends with exit code 3 when its input ends");
  expect(stdout).not.toContain("later");
  expect(stdout.match(/^✗/gm)).toHaveLength(4);
});

it("says of itself only what the revision knows", () => {
  expect(capableIn("2025-03-26")).not.toHaveProperty("elicitation");
  expect(capableIn("2025-06-18")).toMatchObject({ elicitation: {}, sampling: {} });
  expect(JSON.stringify(capableIn("2025-06-18"))).not.toContain("url");
  expect(capableIn("2025-11-25")).toHaveProperty("elicitation.url");
});

it("visits a server that is there already, in both eras", async () => {
  const port = await new Promise<string>((resolve, reject) => {
    const ended = (): void => reject(new Error("The server did not start"));
    const program = inRoot("e2e/dist/bench/http/servers/sdk-v2.js");
    const child = new Child([process.execPath, program], {}, { line: resolve, ended });
    undoAfterTest(() => child.kill("SIGKILL"));
  });
  for (const revision of ["2025-11-25", "2026-07-28"]) {
    const url = `http://127.0.0.1:${port}/mcp`;
    const { stdout, code } = await runBed("--url", url, "--revision", revision, "--call-tools");
    expect({ stdout, code }).toEqual({
      stdout: expect.stringContaining("0 findings") as string,
      code: undefined,
    });
    expect(stdout).toMatch(/^\| tool calls .*✓/m);
    expect(stdout).toMatch(/^\| official clients .*✓/m);
  }
});

it("says what a program that cannot be visited said itself", async () => {
  const command = `${process.execPath} -e "console.error('no token'); process.exitCode = 3"`;
  const { stdout, code } = await runBed("--command", command, "--revision", "2025-11-25");
  expect(stdout).toContain("It speaks none of these revisions.");
  expect(stdout).toContain("exit code 3");
  expect(stdout).toContain("(stderr) no token");
  expect(code).toBe(1);
});

it("says what it takes, and how to get at the tests of the suite instead", async () => {
  const { stdout, code } = await runBed("--help");
  for (const flag of ["--command", "--url", "--server", "--revision", "--call-tools", "--node"])
    expect(stdout).toContain(` ${flag} `);
  expect(stdout).toContain("npx vitest --help");
  expect(code).toBeUndefined();
});

it.each([
  [["--comand", "x"], "Unknown option '--comand'"],
  [["--command", "x", "--revision", "2025"], "--revision is one of 2024-11-05, "],
  [["--server", "gti"], "--server is one of "],
])("refuses %j, and leaves nothing behind", async (args, words) => {
  expect(await runBed(...args)).toMatchObject({ code: 64, stderr: expect.stringContaining(words) as string });
  expect(readdirSync(TEMP)).toEqual([]);
});
