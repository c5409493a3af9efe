import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { hostname } from "node:os";

import { codeOf } from "../errors/code-of.ts";
import { Fault } from "../errors/fault.ts";
import { toFault } from "../errors/to-fault.ts";
import { digestOf } from "../text/digest.ts";
import type { PathGuard } from "./guard.ts";
import type { HeldDirectory } from "./held-directory.ts";
import { moveToFree, TEMPORARY_SUFFIX, writeAll } from "./new-file.ts";
import type { SafePath } from "./path-rules.ts";

const NEW = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** The process that a temporary file belongs to. */
export interface OwnerProcess {
  readonly pid: number;
  readonly isRunning: (pid: number) => boolean;
}

export interface AtomicFileOptions {
  readonly owner: OwnerProcess;
  /** Whether it may take the place of a file that is there. */
  readonly overwrite?: boolean;
  /** How names end that whoever writes it may leave beside it, such as "-shm". */
  readonly sideFiles?: readonly string[];
  /** Of those, the ones that whoever opens it takes for a part of it, such as "-journal". */
  readonly logs?: readonly string[];
}

/** Process numbers mean something on one machine; a directory may be shared by several. */
const markOfHost = (): string => digestOf(hostname(), 8);

function toTemporaryName(pid: number): string {
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(6))).toString("hex");
  return `.${markOfHost()}-${pid}-${random}${TEMPORARY_SUFFIX}`;
}

/** A file that appears whole or not at all: written beside its place, then moved there. */
export class AtomicFile {
  readonly path: SafePath;
  readonly #directory: HeldDirectory;
  readonly #target: string;
  readonly #temporary: string;
  readonly #overwrite: boolean;
  readonly #sideFiles: readonly string[];
  readonly #logs: readonly string[];
  readonly #pid: number;
  #fd: number | undefined;
  #isDone = false;

  constructor(guard: PathGuard, given: string, options: AtomicFileOptions) {
    const { owner, overwrite = false, sideFiles = [], logs = [] } = options;
    this.path = guard.locate(given, { intent: "write" });
    const { directory, name } = guard.holdParent(this.path);
    this.#directory = directory;
    this.#target = directory.at(name);
    this.#overwrite = overwrite;
    this.#sideFiles = sideFiles;
    this.#logs = logs;
    this.#pid = owner.pid;
    this.#temporary = directory.at(toTemporaryName(owner.pid));
    try {
      const taken = lstatSync(this.#target, { throwIfNoEntry: false });
      if (taken?.isDirectory()) throw refuseDirectory(this.path);
      if (taken && !overwrite) throw refuseTaken(this.path);
      this.#requireNoLog();
      removeLeftovers(directory, owner);
    } catch (thrown) {
      directory.close();
      throw thrown instanceof Fault ? thrown : toFault(thrown, this.path);
    }
  }

  /** Where it is written meanwhile, for another process: that one sees what is open in this one. */
  get temporaryForOthers(): string {
    return this.#temporary.replace(/^\/proc\/self\//, `/proc/${this.#pid}/`);
  }

  open(mode = 0o666): void {
    this.#fd = this.#run(() => openSync(this.#temporary, NEW, mode));
  }

  /** Gives the number of bytes. */
  write(text: string): number {
    const bytes = Buffer.from(text);
    // One piece more may come when it was given up already; the number would by then stand for another file.
    const fd = this.#requireOpen();
    this.#run(() => writeAll(fd, bytes));
    return bytes.length;
  }

  /** Takes its place, and gives its size; what is there already stays unless it may be replaced. */
  finish(): number {
    const fd = this.#requireOpen();
    try {
      return this.#run(() => {
        fsyncSync(fd);
        const { size } = fstatSync(fd);
        this.#requireNoLog();
        if (this.#overwrite) renameSync(this.#temporary, this.#target);
        else moveToFree(this.#temporary, this.#target);
        return size;
      });
    } finally {
      this.discard();
    }
  }

  /** Without a trace, unless it is finished. */
  discard(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    if (this.#fd !== undefined) {
      closeSync(this.#fd);
      for (const suffix of ["", ...this.#sideFiles]) rmSync(`${this.#temporary}${suffix}`, { force: true });
    }
    this.#fd = undefined;
    this.#directory.close();
  }

  /** One beside the target is of another file: whoever opens the new one would take it for a part of that. */
  #requireNoLog(): void {
    for (const suffix of this.#logs) {
      const stats = lstatSync(`${this.#target}${suffix}`, { throwIfNoEntry: false });
      if (stats !== undefined && stats.size > 0) throw refuseLog(`${this.path}${suffix}`);
    }
  }

  #requireOpen(): number {
    if (this.#fd === undefined) throw new Fault("cancelled", `${JSON.stringify(this.path)} was given up.`);
    return this.#fd;
  }

  #run<T>(work: () => T): T {
    try {
      return work();
    } catch (thrown) {
      throw codeOf(thrown) === "EEXIST" ? refuseTaken(this.path) : toFault(thrown, this.path);
    }
  }
}

/** What a server that was killed could not take away. Whoever writes to the same directory next does. */
function removeLeftovers(directory: HeldDirectory, { isRunning }: OwnerProcess): void {
  const temporary = new RegExp(`^\\.${markOfHost()}-(\\d+)-[0-9a-f]{12}\\${TEMPORARY_SUFFIX}(?:-\\w+)?$`);
  for (const name of readdirSync(directory.at())) {
    const pid = temporary.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(directory.at(name), { force: true });
  }
}

const refuseDirectory = (path: string): Fault =>
  new Fault("invalid_input", `${JSON.stringify(path)} is a directory.`, { hint: "Name a file in it." });

const refuseTaken = (path: string): Fault =>
  new Fault("conflict", `${JSON.stringify(path)} exists.`, {
    hint: "Choose another name, or set overwrite.",
  });

const refuseLog = (path: string): Fault =>
  new Fault("conflict", `${JSON.stringify(path)} exists, and would become a part of the new file.`, {
    hint: "Choose another name. A program has the file open that it belongs to, or did not close it.",
  });
