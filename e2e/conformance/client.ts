import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { ConformanceRevision } from "./requirements.ts";
import { execute, LONGEST_MS, type ConformanceCheck } from "./suite.ts";

/** Before it had lists of what is required, the suite had scenarios of a revision already. */
export type ClientRevision = ConformanceRevision | "2025-03-26";

export interface ClientRun {
  readonly checks: readonly ConformanceCheck[];
  /** Everything that the suite and the client said. */
  readonly output: string;
}

/** The suite splits the command at spaces and hands the pieces to a shell, which puts quoted ones together again. */
const quote = (path: string): string => `'${path}'`;

/** The driver is built, like everything that runs in a process of its own. */
const DRIVER = fileURLToPath(
  new URL(
    import.meta.url.endsWith(".ts") ? "../dist/conformance/client-driver.js" : "client-driver.js",
    import.meta.url,
  ),
);

/** Lets the suite play the server of one scenario, and our client its client. */
export async function runClientScenario(scenario: string, revision: ClientRevision): Promise<ClientRun> {
  const folder = await mkdtemp(join(tmpdir(), "suite-conformance-client-"));
  try {
    const command = `${quote(process.execPath)} ${quote(DRIVER)}`;
    const which = ["--scenario", scenario, "--spec-version", revision, "--timeout", String(LONGEST_MS)];
    // Extensions belong to no revision, and would be skipped.
    which.push("--force");
    const output = await execute(["client", "--command", command, ...which, "-o", folder]);
    // The folders are named after the scenario, slashes and all.
    const run = (await readdir(folder, { recursive: true })).find((file) => file.endsWith("checks.json"));
    if (run === undefined) throw new Error(`The suite ran nothing:\n${output}`);
    const checks = JSON.parse(await readFile(join(folder, run), "utf8")) as ConformanceCheck[];
    return { checks, output };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
