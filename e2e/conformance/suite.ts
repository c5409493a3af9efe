import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { readRequired, SUITE_COMMAND, type ConformanceRevision } from "./requirements.ts";

export interface ConformanceCheck {
  readonly id: string;
  readonly description: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}

export interface ConformanceScenario {
  readonly name: string;
  readonly isRequired: boolean;
  readonly checks: readonly ConformanceCheck[];
}

/** Only what hangs takes that long. */
export const LONGEST_MS = 100_000;

/** Runs everything that the suite has for a revision against a server, and gives what it found. */
export async function runSuite(
  url: string,
  revision: ConformanceRevision,
): Promise<readonly ConformanceScenario[]> {
  const folder = await mkdtemp(join(tmpdir(), "suite-conformance-"));
  try {
    const output = await execute(["server", "--url", url, "--requirements", revision, "-o", folder]);
    const scenarios = await readScenarios(folder, readRequired(revision));
    if (scenarios.length === 0) throw new Error(`The suite ran nothing:\n${output}`);
    return scenarios;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs some of its scenarios, by name. */
export async function runScenarios(
  url: string,
  revision: ConformanceRevision,
  names: readonly string[],
): Promise<readonly ConformanceScenario[]> {
  const folder = await mkdtemp(join(tmpdir(), "suite-conformance-"));
  const options = ["--url", url, "--spec-version", revision, "--force", "-o", folder];
  try {
    for (const name of names) await execute(["server", "--scenario", name, ...options]);
    return await readScenarios(folder, new Set());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Its exit code only repeats what the checks say. */
export async function execute(args: readonly string[]): Promise<string> {
  const [node = "", ...program] = SUITE_COMMAND;
  const child = spawn(node, [...program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LONGEST_MS,
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return out + err;
}

/** The suite writes one folder per scenario, named after it and the time. */
async function readScenarios(
  folder: string,
  required: ReadonlySet<string>,
): Promise<readonly ConformanceScenario[]> {
  const names = await readdir(folder);
  return Promise.all(
    names.map(async (folderName) => {
      const name = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/.exec(folderName)?.[1] ?? folderName;
      const checks = JSON.parse(
        await readFile(join(folder, folderName, "checks.json"), "utf8"),
      ) as ConformanceCheck[];
      return { name, isRequired: required.has(name), checks };
    }),
  );
}
