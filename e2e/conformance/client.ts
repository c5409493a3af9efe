import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { ConformanceRevision } from "./requirements.ts";
import { execute, LONGEST_MS, type ConformanceCheck } from "./suite.ts";

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
export async function runClientScenario(scenario: string, revision: ConformanceRevision): Promise<ClientRun> {
  const folder = await mkdtemp(join(tmpdir(), "suite-conformance-client-"));
  try {
    const command = `${quote(process.execPath)} ${quote(DRIVER)}`;
    const which = ["--scenario", scenario, "--spec-version", revision, "--timeout", String(LONGEST_MS)];
    const output = await execute(["client", "--command", command, ...which, "-o", folder]);
    const [run] = await readdir(folder);
    if (run === undefined) throw new Error(`The suite ran nothing:\n${output}`);
    const checks = JSON.parse(await readFile(join(folder, run, "checks.json"), "utf8")) as ConformanceCheck[];
    return { checks, output };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
