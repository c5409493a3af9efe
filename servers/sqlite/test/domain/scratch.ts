import { type ChildProcess, fork } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach } from "vitest";
import type { StopSignal } from "@suite/server-kit/domain";
import {
  type DatabaseOptions,
  DatabaseProcess,
  type TaskOptions,
} from "../../src/domain/engine/database-process.ts";
import { WorkerProgram } from "../../src/domain/engine/worker-program.ts";
import type { RequestOf, ResultOf, TaskName } from "../../src/domain/protocol/messages.ts";
import type {
  BatchRequest,
  BatchResult,
  ReadRequest,
  RowPage,
  WriteRequest,
  WriteResult,
} from "../../src/domain/protocol/statements.ts";
import type { SqlParams } from "../../src/domain/values/params.ts";
import { LocalProgram } from "./local-program.ts";
import { useWorkerProgram } from "./worker-program.ts";

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

/** With its processes, in the order of their start. Nobody stops a call unless a signal is given. */
export class OpenedDatabase extends DatabaseProcess {
  readonly children: readonly ChildProcess[];

  constructor(options: DatabaseOptions, children: readonly ChildProcess[]) {
    super(options);
    this.children = children;
  }

  override read(request: ReadRequest, signal: StopSignal = unstopped()): Promise<RowPage> {
    return super.read(request, signal);
  }

  async rows(sql: string, params?: SqlParams): Promise<RowPage["rows"]> {
    return (await this.read({ sql, ...(params && { params }) })).rows;
  }

  override write(request: WriteRequest, signal: StopSignal = unstopped()): Promise<WriteResult> {
    return super.write(request, signal);
  }

  override batch(request: BatchRequest, signal: StopSignal = unstopped()): Promise<BatchResult> {
    return super.batch(request, signal);
  }

  override task<Name extends TaskName>(
    name: Name,
    request: RequestOf<Name>,
    signal: StopSignal = unstopped(),
    options: TaskOptions = {},
  ): Promise<ResultOf<Name>> {
    return super.task(name, request, signal, options);
  }
}

interface Databases {
  readonly scratch: Scratch;
  readonly open: (options: Partial<DatabaseOptions> & { readonly file: string }) => OpenedDatabase;
}

/** A folder for each test, and databases whose processes end after it; their worker has tasks of the test's, if it brings any. */
export function useDatabases(worker: { readonly tasks?: URL } = {}): Databases & {
  readonly built: { readonly url: URL };
} {
  const built = useWorkerProgram(worker);
  return { ...useOpened(() => new WorkerProgram(built.url, () => fork)), built };
}

/** The same without processes, for what SQL does. */
export const useLocalDatabases = (): Databases => useOpened(() => new LocalProgram());

function useOpened(createProgram: () => WorkerProgram): Databases {
  const scratch = useScratch();
  const opened: DatabaseProcess[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((database) => database.dispose()));
  });
  const open: Databases["open"] = ({ program = createProgram(), ...options }) => {
    const children: ChildProcess[] = [];
    const start = program.start.bind(program);
    program.start = () => {
      const child = start();
      children.push(child);
      return child;
    };
    const defaults = {
      mode: "read",
      allowDdl: false,
      busyTimeoutMs: 5000,
      memoryBytes: 512 * 1024 * 1024,
    } as const;
    const database = new OpenedDatabase({ program, ...defaults, ...options }, children);
    opened.push(database);
    return database;
  };
  return { scratch, open };
}

/** For calls that nobody stops. A new one each time: listeners would pile up on a shared one. */
export const unstopped = (): AbortSignal => new AbortController().signal;
