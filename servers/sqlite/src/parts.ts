import type { fork } from "node:child_process";
import { dirname } from "node:path";

import { defineParts } from "@suite/server-kit/program";

import { WorkerProgram } from "./domain/engine/worker-program.ts";
import { introduction } from "./introduction.ts";
import { options, positionals } from "./options.ts";
import { checkSetup, whyUnavailable } from "./setup.ts";

const workerUrl = new URL("./worker.js", import.meta.url);
// Loaded with the first worker, so as not to delay the first answer.
const toFork = (): typeof fork => process.getBuiltinModule("node:child_process").fork;
const program = new WorkerProgram(workerUrl, toFork, findCompileCache);

/** Node's compile cache directory (22 and later), if the launcher enabled it. */
function findCompileCache(): string | undefined {
  const loader = process.getBuiltinModule("node:module") as { getCompileCacheDir?: () => string | undefined };
  const folder = loader.getCompileCacheDir?.();
  // Node appends a folder for its version to the one it is given.
  return folder === undefined ? undefined : dirname(folder);
}

const node = { version: process.version.slice(1), abi: process.versions.modules, program: process.execPath };

/** The server in parts: what the program runs, and what others can be made of. */
export const sqlite = defineParts({
  name: "suite-server-sqlite",
  version: introduction.info.version,
  description:
    "An MCP server for SQLite: queries that can always be stopped, and changes you can preview and undo.",
  introduction,
  views: new URL("./views/", import.meta.url),
  options,
  positionals,
  skills: new URL("./skills.json", import.meta.url),
  examples: [
    { args: "app.db", description: "Serves one database; tools may change rows, not the schema." },
    { args: "--read-only app.db sales=2026.db", description: "Serves two, and changes nothing." },
    {
      args: "--create --allow-ddl notes.db",
      description: "Creates the file if it is missing, and lets tools create tables.",
    },
  ],
  checks: (given) => [
    { name: "sqlite", run: async () => (await import("./checks.ts")).checkSqlite(node, workerUrl) },
    {
      name: "databases",
      run: async (signal) => (await import("./checks.ts")).checkDatabases(given, program, signal),
    },
  ],
  toolList: (given) => ({
    file: new URL("./tools.json", import.meta.url),
    whyUnavailable: (tool) => whyUnavailable(tool, given),
  }),
  validate: checkSetup,
  configure: async (given, { contract }) => {
    // A worker starts on another core while this one loads the server.
    program.prepare();
    const { configureSqlite, isRunning } = await import("./server.ts");
    return configureSqlite(given, { contract, owner: { pid: process.pid, isRunning }, program });
  },
});
