import { realpathSync } from "node:fs";

import { createFolder, runProgram } from "../contract/program.ts";
import type { ProgramOutcome } from "../support/child.ts";
import { SQLITE } from "../support/servers.ts";
import { Wire, type WireOptions } from "../support/wire.ts";

const program = { command: SQLITE, prepare: () => ({ args: [] }) };

/** The program with these arguments, and a client on its standard streams. */
export const openSqlite = (args: readonly string[], options: WireOptions = {}): Promise<Wire> =>
  Wire.open([...SQLITE, ...args], { revision: "2026-07-28", ...options });

/** The program for as long as it runs by itself. */
export const runSqlite = (args: readonly string[]): Promise<ProgramOutcome> => runProgram(program, args);

/** An empty folder that goes with the tests, under the name that the server has for it. */
export const createPlace = (): string => realpathSync(createFolder());
