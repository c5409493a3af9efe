import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, afterEach } from "vitest";

import { Child, type Exit } from "../support/child.ts";
import { Wire, type WireOptions } from "../support/wire.ts";
import type { ContractServer } from "./servers.ts";

export interface Outcome extends Exit {
  readonly stdout: string;
  readonly stderr: string;
}

const LONGEST_MS = 20_000;
const folders: string[] = [];
const running = new Set<Child>();

afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
});

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "suite-contract-"));
  folders.push(folder);
  return folder;
}

/** The program with something to work on, and a client on its standard streams to which every tool is of use. */
export const openServer = (
  { command, prepare }: ContractServer,
  args: readonly string[] = [],
  options: WireOptions = {},
): Promise<Wire> =>
  Wire.open([...command, ...args, ...prepare(createFolder())], {
    revision: "2026-07-28",
    capabilities: { sampling: {} },
    ...options,
  });

/** The program for as long as it runs by itself. */
export async function runProgram(
  { command, prepare }: ContractServer,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Outcome> {
  const lines: string[] = [];
  const events = { line: (line: string) => void lines.push(`${line}\n`), ended: () => undefined };
  const child = new Child([...command, ...args, ...prepare(createFolder())], env, events);
  running.add(child);
  child.closeInput();
  const timer = setTimeout(() => child.kill("SIGKILL"), LONGEST_MS);
  const exit = await child.exited.finally(() => clearTimeout(timer));
  return { ...exit, stdout: [...lines, child.unfinished.toString()].join(""), stderr: child.stderr };
}
