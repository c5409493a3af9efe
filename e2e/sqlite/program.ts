import type { ProgramOutcome } from "@suite/check/wires";

import { runToEnd } from "../support/program.ts";
import { SQLITE } from "../support/servers.ts";
import { Wire, type WireOptions } from "../support/wire.ts";

/** The program with these arguments, and a client on its standard streams. */
export const openSqlite = (args: readonly string[], options: WireOptions = {}): Promise<Wire> =>
  Wire.open([...SQLITE, ...args], { revision: "2026-07-28", ...options });

/** The program for as long as it runs by itself. */
export const runSqlite = (args: readonly string[]): Promise<ProgramOutcome> => runToEnd([...SQLITE, ...args]);
