import { realpathSync } from "node:fs";

import { createFolder, type Outcome, runProgram } from "../contract/program.ts";
import { type ContractServer, SERVERS } from "../contract/servers.ts";
import { Wire, type WireOptions } from "../support/wire.ts";

const listed = SERVERS.find(({ name }) => name === "sqlite");
if (!listed) throw new Error("The SQLite server is held to the contract, too");
const program: ContractServer = { ...listed, prepare: () => [] };

/** Starts the built program, with nothing to work on yet. */
export const SQLITE: readonly string[] = program.command;

/** What takes longer than this on a busy machine does not happen. */
export const PATIENCE_MS = 30_000;

/** The program with these arguments, and a client on its standard streams. */
export const openSqlite = (args: readonly string[], options: WireOptions = {}): Promise<Wire> =>
  Wire.open([...SQLITE, ...args], { revision: "2026-07-28", timeoutMs: PATIENCE_MS, ...options });

/** The program for as long as it runs by itself. */
export const runSqlite = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
  runProgram(program, args, env);

/** An empty folder that goes with the tests, under the name that the server has for it. */
export const createPlace = (): string => realpathSync(createFolder());
