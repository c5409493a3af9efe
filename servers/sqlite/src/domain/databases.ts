import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { Fault, protectGit, suggest } from "@suite/server-kit/domain";

import { type FileRules, locateDatabase, MEMORY, splitName } from "./database-file.ts";
import type { AccessMode, OpenOptions } from "./protocol/statements.ts";
import { DatabaseProcess } from "./engine/database-process.ts";
import type { WorkerProgram } from "./engine/worker-program.ts";

export interface DatabasesOptions extends FileRules {
  /** `FILE`, `name=FILE` or `:memory:`. */
  readonly files: readonly string[];
  readonly program: WorkerProgram;
  readonly allowDdl: boolean;
  readonly busyTimeoutMs: number;
  readonly memoryBytes: number;
  readonly undo?: OpenOptions["undo"];
}

/** A database under the name that tools call it by. */
export interface NamedDatabase {
  readonly name: string;
  readonly file: string;
  readonly mode: AccessMode;
  readonly engine: DatabaseProcess;
}

const LONGEST_NAME = 100;
const MOST_WARM = 4;

/** The databases of one server. Each has a process of its own, started when it is first needed. */
export class Databases {
  /** Whether statements may change the schema. */
  readonly allowDdl: boolean;
  readonly #byName = new Map<string, NamedDatabase>();

  constructor(options: DatabasesOptions) {
    this.allowDdl = options.allowDdl;
    for (const given of options.files) this.#add(given, options);
  }

  get all(): readonly NamedDatabase[] {
    return [...this.#byName.values()];
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /** The name may be omitted if there is only one. */
  get(name: string | undefined): NamedDatabase {
    const [first, ...others] = this.all;
    if (!first) {
      throw new Fault("unavailable", "No database is configured.", {
        retryable: false,
        hint: "Start the server with a database file, as in: suite-server-sqlite app.db",
      });
    }
    if (name === undefined) {
      if (others.length === 0) return first;
      throw new Fault("invalid_input", "There are several databases: say which.", {
        hint: `Set database to one of: ${this.names.join(", ")}.`,
      });
    }
    return this.#find(name) ?? this.#miss(name);
  }

  /** Only the first few: each is a process. */
  warm(): void {
    for (const { engine } of this.all.slice(0, MOST_WARM)) engine.warm();
  }

  async dispose(): Promise<void> {
    await Promise.all(this.all.map(({ engine }) => engine.dispose()));
  }

  /** Ignores case if need be: the name is the host of a URI, and some clients lowercase hosts. */
  #find(name: string): NamedDatabase | undefined {
    const wanted = name.toLowerCase();
    const alike = this.all.filter((database) => database.name.toLowerCase() === wanted);
    return this.#byName.get(name) ?? (alike.length === 1 ? alike[0] : undefined);
  }

  #miss(name: string): never {
    const short = name.slice(0, LONGEST_NAME);
    const meant = suggest(short, this.names);
    throw new Fault("not_found", `There is no database ${JSON.stringify(short)}.`, {
      hint: meant === undefined ? `There are: ${this.names.join(", ")}.` : `Did you mean ${meant}?`,
    });
  }

  #add(given: string, { program, busyTimeoutMs, memoryBytes, undo, ...rules }: DatabasesOptions): void {
    const { name: wanted, path } = splitName(given);
    const name = this.#toUniqueName(wanted);
    const { file, mode } = locateDatabase(path, rules);
    const open = { program, file, mode, allowDdl: this.allowDdl, busyTimeoutMs, memoryBytes, undo };
    this.#byName.set(name, { name, file, mode, engine: new DatabaseProcess(open) });
  }

  #toUniqueName(name: string): string {
    for (let number = 1; ; number += 1) {
      const candidate = number === 1 ? name : `${name}-${number}`;
      if (!this.#byName.has(candidate)) return candidate;
    }
  }
}

const LOGS = ["", "-wal", "-shm", "-journal"];
const SIDE_FILES = ["", ".suite-undo"].flatMap((kind) => LOGS.map((log) => `${kind}${log}`));

/** Why a file may not be written. The server's own databases are recognized under other names too. */
export function protectFiles(files: readonly string[]): (path: string) => string | undefined {
  const own = files.filter((file) => file !== MEMORY).map(toReal);
  const taken = new Set(own.flatMap((file) => SIDE_FILES.map((suffix) => `${file}${suffix}`)));
  return (path) => {
    if (taken.has(path) || own.some((file) => isSame(file, path))) return "it is in use by this server";
    // Git runs programs named in its config and hooks, and an exported table could imitate either.
    return protectGit(path) === undefined ? undefined : "it belongs to a git repository's own files";
  };
}

function toReal(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return resolve(file);
  }
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }));
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}
