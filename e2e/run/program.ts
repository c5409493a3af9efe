import type { ProgramOutcome } from "@suite/check/wires";

import { Program, runToEnd } from "../support/program.ts";
import { NOTES } from "../support/servers.ts";

/** The notes server for as long as it runs by itself. */
export const runNotes = (args: readonly string[], env?: NodeJS.ProcessEnv): Promise<ProgramOutcome> =>
  runToEnd([...NOTES, ...args], env);

export const startNotes = (args: readonly string[], env?: NodeJS.ProcessEnv): Program =>
  new Program([...NOTES, ...args], env);
