import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { oncePerFile, undoAfterTest, undoAtEnd } from "../support/afterwards.ts";
import { Child, type ProgramOutcome } from "../support/child.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { Wire, type WireOptions } from "../support/wire.ts";
import type { ContractServer, ContractStage } from "./contract-server.ts";

export function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "suite-contract-"));
  undoAtEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

type StartableServer = Pick<ContractServer, "command" | "prepare">;

/** The program with something to work on, and a client on its standard streams to which every tool is of use. */
export async function openStage(
  { command, prepare }: StartableServer,
  args: readonly string[] = [],
  options: WireOptions = {},
): Promise<{ readonly wire: Wire; readonly stage: ContractStage }> {
  const stage = await prepare(createFolder());
  const wire = await Wire.open([...command, ...args, ...stage.args], {
    revision: "2026-07-28",
    capabilities: { sampling: {} },
    ...options,
  });
  return { wire, stage };
}

/** Who changes nothing shares what the program works on with the others of a test file. */
const sharedStages = oncePerFile(
  () => new Map<StartableServer["prepare"], ReturnType<StartableServer["prepare"]>>(),
);

function shareStage(prepare: StartableServer["prepare"]): ReturnType<StartableServer["prepare"]> {
  const stage = sharedStages().get(prepare) ?? prepare(createFolder());
  sharedStages().set(prepare, stage);
  return stage;
}

/** The program for a client that changes nothing. */
export const openServer = async (
  { command, prepare }: StartableServer,
  ...rest: [args?: readonly string[], options?: WireOptions]
): Promise<Wire> => (await openStage({ command, prepare: () => shareStage(prepare) }, ...rest)).wire;

/** The program for as long as it runs by itself. */
export async function runProgram(
  { command, prepare }: StartableServer,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<ProgramOutcome> {
  const lines: string[] = [];
  const events = { line: (line: string) => void lines.push(`${line}\n`), ended: () => undefined };
  const stage = await shareStage(prepare);
  const child = new Child([...command, ...args, ...stage.args], env, events);
  undoAfterTest(() => child.kill("SIGKILL"));
  child.closeInput();
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  const exit = await child.exited.finally(() => clearTimeout(timer));
  return { ...exit, stdout: [...lines, child.unfinished.toString()].join(""), stderr: child.stderr };
}
