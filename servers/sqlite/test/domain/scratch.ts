import { type ChildProcess, fork } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach } from "vitest";
import { type DatabaseOptions, DatabaseProcess } from "../../src/domain/engine/database-process.ts";
import { WorkerProgram } from "../../src/domain/engine/worker-program.ts";

export interface Scratch {
  /** An empty folder of this test's own. */
  readonly folder: string;
  path(name: string): string;
  /** A database file, made by better-sqlite3 itself from a script. */
  create(name: string, script: string): string;
  /** The content of every file in the folder, as digests. */
  snapshot(): { [name: string]: string };
}

/** A folder for each test, gone after it. */
export function useScratch(): Scratch {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "suite-sqlite-test-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string): string => join(folder, name);
  return {
    get folder() {
      return folder;
    },
    path,
    create(name, script) {
      const database = new Database(path(name));
      database.exec(script);
      database.close();
      return path(name);
    },
    snapshot: () =>
      Object.fromEntries(
        readdirSync(folder, { recursive: true, encoding: "utf8" })
          .filter((name) => statSync(path(name)).isFile())
          .map((name) => [
            name,
            createHash("sha256")
              .update(readFileSync(path(name)))
              .digest("hex"),
          ]),
      ),
  };
}

/** With its processes, in the order of their start. */
export type OpenedDatabase = DatabaseProcess & { readonly children: readonly ChildProcess[] };

/** Opens databases for a test, and ends their processes after it. */
export function useDatabases(built: {
  readonly url: URL;
}): (options: Partial<DatabaseOptions> & { readonly file: string }) => OpenedDatabase {
  const opened: DatabaseProcess[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((database) => database.dispose()));
  });
  return ({ program = new WorkerProgram(built.url, () => fork), ...options }) => {
    const children: ChildProcess[] = [];
    const start = program.start.bind(program);
    program.start = () => {
      const child = start();
      children.push(child);
      return child;
    };
    const database = new DatabaseProcess({
      program,
      mode: "read",
      allowDdl: false,
      busyTimeoutMs: 5000,
      memoryBytes: 512 * 1024 * 1024,
      ...options,
    });
    opened.push(database);
    return Object.assign(database, { children });
  };
}

/** For calls that nobody stops. A new one each time: listeners would pile up on a shared one. */
export const unstopped = (): AbortSignal => new AbortController().signal;
