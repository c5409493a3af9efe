import type { ProgramOutcome } from "@suite/check/wires";

import { runToEnd } from "../support/program.ts";
import { FILESYSTEM } from "../support/servers.ts";
import { Wire, type WireOptions } from "../support/wire.ts";

/** The program with these arguments, and a client on its standard streams. */
export const openFiles = (args: readonly string[], options: WireOptions = {}): Promise<Wire> =>
  Wire.open([...FILESYSTEM, ...args], { revision: "2026-07-28", ...options });

/** The program for as long as it runs by itself. */
export const runFiles = (args: readonly string[], env?: NodeJS.ProcessEnv): Promise<ProgramOutcome> =>
  runToEnd([...FILESYSTEM, ...args], env);
