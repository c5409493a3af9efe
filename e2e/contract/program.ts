import type { ListedTool, ProgramOutcome } from "@suite/check/wires";

import { oncePerFile } from "../support/afterwards.ts";
import { createPlace } from "../support/place.ts";
import { runToEnd } from "../support/program.ts";
import { Wire, type WireOptions } from "../support/wire.ts";
import type { ContractServer, ContractStage } from "./contract-server.ts";

interface Tools {
  readonly tools: readonly ListedTool[];
}

type StartableServer = Pick<ContractServer, "command" | "prepare">;

/** The program with something to work on, and a client on its standard streams to which every tool is of use. */
export async function openStage(
  { command, prepare }: StartableServer,
  args: readonly string[] = [],
  options: WireOptions = {},
): Promise<{ readonly wire: Wire; readonly stage: ContractStage }> {
  const stage = await prepare(createPlace());
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
  const stage = sharedStages().get(prepare) ?? prepare(createPlace());
  sharedStages().set(prepare, stage);
  return stage;
}

/** The program for a client that changes nothing. */
export const openServer = async (
  { command, prepare }: StartableServer,
  ...rest: [args?: readonly string[], options?: WireOptions]
): Promise<Wire> => (await openStage({ command, prepare: () => shareStage(prepare) }, ...rest)).wire;

const sharedLines = oncePerFile(() => new Map<string, Promise<Wire>>());

/** A line that the tests of a file share, for those that leave nothing behind on it. */
export function shareServer(
  server: StartableServer,
  args: readonly string[] = [],
  options: WireOptions = {},
): Promise<Wire> {
  const key = JSON.stringify([server.command, args, options]);
  const line = sharedLines().get(key) ?? openServer(server, args, { ...options, keepForFile: true });
  sharedLines().set(key, line);
  return line;
}

/** The tools as they are listed on a line that is new, and as the loaded server lists them. */
export async function listTwice(wire: Wire): Promise<{ readonly before: Tools; readonly after: Tools }> {
  const list = async (): Promise<Tools> => (await wire.request("tools/list")).result as unknown as Tools;
  const before = await list();
  // Nobody can answer this before the server is there.
  await wire.request("resources/list");
  return { before, after: await list() };
}

/** The program for as long as it runs by itself. */
export async function runProgram(
  { command, prepare }: StartableServer,
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<ProgramOutcome> {
  const stage = await shareStage(prepare);
  return runToEnd([...command, ...args, ...stage.args], env);
}
