import { accessSync, constants, statSync } from "node:fs";
import { basename } from "node:path";
import { codeOf, Fault } from "@suite/server-kit/domain";
import type { OpenOptions } from "../protocol/statements.ts";
import { type Access, admit, type AdmittedStatement } from "../sql-policy/admit.ts";
import { DatabaseConnection, identityOf } from "./connection.ts";
import { StatementCache } from "./statement-cache.ts";
import { refuseSuperJournal } from "./super-journal.ts";

/** What is wrong with better-sqlite3 itself, if anything. */
export interface Library {
  /** Why it must not be loaded: this Node.js would crash. */
  readonly unfit: Fault | undefined;
  /** Why it could not be loaded, if that is what failed. */
  toLoadFault(thrown: unknown): Fault | undefined;
}

/** The connections of one database: some to read, at most one to write. They are opened when they are first needed. */
export class ConnectionPool {
  readonly options: OpenOptions;
  #idle: DatabaseConnection[] = [];
  readonly #lent = new Set<DatabaseConnection>();
  #writer: DatabaseConnection | undefined;
  readonly #belongings: (() => void)[] = [];
  readonly #admitted = new StatementCache<AdmittedStatement>();

  readonly #library: Library;

  constructor(options: OpenOptions, library: Library) {
    this.options = options;
    this.#library = library;
  }

  get isMemory(): boolean {
    return this.options.file === ":memory:";
  }

  /** The first half of the policy. What passed once passes again: it depends on the text alone. */
  admit(sql: string, access: Access): AdmittedStatement {
    const key = `${access} ${sql}`;
    const kept = this.#admitted.get(key);
    if (kept) return kept;
    const admitted = admit(sql, { access, allowDdl: this.options.allowDdl });
    this.#admitted.keep(key, admitted);
    return admitted;
  }

  /** To be given back with `giveBack`. */
  takeReader(): DatabaseConnection {
    if (this.isMemory) return this.#openWriter();
    this.#dropReplaced();
    const connection = this.#idle.pop() ?? this.#openReader();
    this.#lent.add(connection);
    return connection;
  }

  giveBack(connection: DatabaseConnection): void {
    if (connection === this.#writer || !this.#lent.delete(connection)) return;
    this.#idle.push(connection);
  }

  /** The one connection that may write. */
  takeWriter(): DatabaseConnection {
    if (this.options.mode === "read") {
      throw new Fault("permission_denied", "The database is open for reading only.", {
        hint: "The operator allows writing by leaving out --read-only, with a writable file.",
      });
    }
    if (!this.isMemory) this.#dropReplaced();
    return this.#openWriter();
  }

  /** For what belongs to the connection that writes, and ends with it. */
  onWriterClosed(close: () => void): void {
    this.#belongings.push(close);
  }

  /** After a failure that may be the connection's own: the next call starts with fresh ones. */
  closeIdle(): void {
    for (const connection of this.#idle) connection.close();
    this.#idle = [];
    if (this.isMemory) return;
    this.#closeWriter();
  }

  #closeWriter(): void {
    this.#writer?.close();
    this.#writer = undefined;
    for (const close of this.#belongings.splice(0)) close();
  }

  /** The writer last: in WAL mode it then empties the log and removes it. */
  close(): void {
    for (const connection of [...this.#lent, ...this.#idle]) connection.close();
    this.#closeWriter();
  }

  #openReader(): DatabaseConnection {
    // The file may not exist yet: only a connection that writes can create it.
    if (this.options.mode === "create") this.#openWriter();
    return this.#open("read");
  }

  #openWriter(): DatabaseConnection {
    if (!this.isMemory) refuseSuperJournal(this.options.file, this.options.busyTimeoutMs);
    this.#writer ??= this.#open(this.isMemory ? "memory" : "write");
    return this.#writer;
  }

  #open(use: DatabaseConnection["use"]): DatabaseConnection {
    const { file, busyTimeoutMs, mode } = this.options;
    if (this.#library.unfit) throw this.#library.unfit;
    try {
      return new DatabaseConnection(file, use, busyTimeoutMs, mode === "create");
    } catch (thrown) {
      throw this.#library.toLoadFault(thrown) ?? explainOpenFailure(thrown, this.options);
    }
  }

  #dropReplaced(): void {
    const current = this.#idle[0] ?? this.#writer;
    if (current && current.identity !== identityIfThere(this.options.file)) this.closeIdle();
  }
}

function identityIfThere(file: string): string | undefined {
  try {
    return identityOf(file);
  } catch {
    return undefined;
  }
}

/** SQLite says "unable to open database file" whatever the reason; the file system knows better. */
function explainOpenFailure(thrown: unknown, { file, mode }: OpenOptions): unknown {
  if (thrown instanceof Fault) return thrown;
  // better-sqlite3 has an error of its own, without a code, for a missing directory.
  const code = codeOf(thrown) ?? "SQLITE_CANTOPEN";
  if (typeof code !== "string" || !/^(SQLITE_CANTOPEN|SQLITE_IOERR|E[A-Z]+$)/.test(code)) return thrown;
  const name = basename(file);
  const wanted = mode === "read" ? constants.R_OK : constants.R_OK | constants.W_OK;
  try {
    if (statSync(file).isDirectory())
      return new Fault("invalid_input", `${name} is a directory, not a database.`);
    accessSync(file, wanted);
  } catch (failure) {
    const reason = codeOf(failure);
    if (reason === "ENOENT" || reason === "ENOTDIR") {
      return new Fault("not_found", `The database file ${name} does not exist.`, {
        hint: "The operator creates it with --create.",
      });
    }
    return new Fault(
      "permission_denied",
      `The database file ${name} may not be ${mode === "read" ? "read" : "written"}.`,
    );
  }
  if (!code.startsWith("SQLITE_CANTOPEN")) return thrown;
  return new Fault("unavailable", `The database file ${name} cannot be opened.`, {
    retryable: false,
    hint: "A database in WAL mode needs files beside it: its directory must be writable, or the -wal and -shm files there.",
    cause: thrown,
  });
}
