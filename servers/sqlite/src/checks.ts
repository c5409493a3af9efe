import type { Finding } from "@suite/server-kit";

import { Fault, toFault } from "@suite/server-kit/domain";

import { DatabaseSetupError } from "./domain/database-file.ts";
import { Databases } from "./domain/databases.ts";
import type { WorkerProgram } from "./domain/engine/worker-program.ts";
import { type RunningNode, toLoadFault, whyUnfit } from "./domain/native-module.ts";
import type { SqliteOptions } from "./server.ts";

/** Whether SQLite can be loaded: it is native code, built for one version of Node. */
export async function checkSqlite(node: RunningNode, from: URL): Promise<Finding> {
  const needed = "better-sqlite3 12, built for this Node.js, or 13";
  try {
    const unfit = whyUnfit(node, from);
    if (unfit) throw unfit;
    const { default: Database } = await import("better-sqlite3");
    const database = new Database(":memory:");
    const found = `SQLite ${String(database.prepare("SELECT sqlite_version()").pluck().get())}`;
    database.close();
    return { status: "ok", needed, found };
  } catch (thrown) {
    const { message, hint } = toLoadFault(thrown, node, from) ?? toFault(thrown);
    return { status: "missing", needed, found: message, ...(hint !== undefined && { hint }) };
  }
}

/** Whether every database can be opened, and what may be done with it. */
export async function checkDatabases(
  given: SqliteOptions,
  program: WorkerProgram,
  signal: AbortSignal,
): Promise<Finding> {
  const files = [...given.files, ...given.dbPath];
  if (files.length === 0) {
    // The server still starts, and its tools say what is missing.
    return { status: "warning", needed: NEEDED, found: "none given", hint: "Name a file, or :memory:." };
  }
  const findings = await Promise.all(files.map((file) => checkDatabase(file, given, program, signal)));
  const found = findings.map((finding) => finding.found).join(", ");
  const bad = findings.find(({ status }) => status === "missing");
  return {
    status: bad ? "missing" : "ok",
    needed: NEEDED,
    found,
    ...(bad?.hint !== undefined && { hint: bad.hint }),
  };
}

const NEEDED = "database files that can be opened";

/** Always opened read-only: a check must not change anything or create a file. */
async function checkDatabase(
  file: string,
  given: SqliteOptions,
  program: WorkerProgram,
  signal: AbortSignal,
): Promise<Finding> {
  const { create, allowDdl, busyTimeout: busyTimeoutMs, memory } = given;
  const options = { files: [file], program, allowDdl, busyTimeoutMs, memoryBytes: memory * 1024 * 1024 };
  let databases: Databases | undefined;
  try {
    const { all } = new Databases({ ...options, readOnly: given.readOnly, create });
    const [{ name, mode } = { name: file, mode: "read" }] = all;
    if (mode === "create") return { status: "ok", needed: NEEDED, found: `${name} (will be created)` };
    databases = new Databases({ ...options, readOnly: true, create: false });
    await databases.get(undefined).engine.task("version", {}, signal);
    return { status: "ok", needed: NEEDED, found: `${name} (${mode === "read" ? "read-only" : "writable"})` };
  } catch (thrown) {
    const found = `${file}: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    const hint = thrown instanceof DatabaseSetupError || thrown instanceof Fault ? thrown.hint : undefined;
    return { status: "missing", needed: NEEDED, found, ...(hint !== undefined && { hint }) };
  } finally {
    await databases?.dispose();
  }
}
