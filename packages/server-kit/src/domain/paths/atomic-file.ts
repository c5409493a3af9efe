import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
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
import { quotePath } from "./path-text.ts";
import { rename } from "./rename.ts";

const NEW = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** The process that a temporary file belongs to. */
export interface OwnerProcess {
  readonly pid: number;
  readonly isRunning: (pid: number) => boolean;
}

export interface AtomicFileOptions {
  readonly owner: OwnerProcess;
  /** Whether it may replace an existing file. */
  readonly overwrite?: boolean;
  /** Suffixes of files that the writer may leave beside it, such as "-shm". */
  readonly sideFiles?: readonly string[];
  /** Those suffixes whose files a reader treats as part of the file, such as "-journal". */
  readonly logs?: readonly string[];
}

/** Identifies the machine: process IDs are valid only there, but a directory may be shared by several. */
const markOfHost = (): string => digestOf(hostname(), 8);

function toTemporaryName(pid: number): string {
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(6))).toString("hex");
  return `.${markOfHost()}-${pid}-${random}${TEMPORARY_SUFFIX}`;
}

/** A file that appears complete or not at all: written to a temporary file beside it, then moved. */
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

  /** The temporary file's path for another process: /proc/self would be that process's own descriptors. */
  get temporaryForOthers(): string {
    return this.#temporary.replace(/^\/proc\/self\//, `/proc/${this.#pid}/`);
  }

  open(mode = 0o666): void {
    this.#fd = this.#run(() => openSync(this.#temporary, NEW, mode));
  }

  /** Returns the number of bytes. */
  write(text: string): number {
    const bytes = Buffer.from(text);
    // A write may arrive after `discard`, when the descriptor's number may belong to another file.
    const fd = this.#requireOpen();
    this.#run(() => writeAll(fd, bytes));
    return bytes.length;
  }

  /** Moves the file to its place and returns its size. Fails if a file exists there, unless `overwrite` is set. */
  finish(): number {
    const fd = this.#requireOpen();
    try {
      return this.#run(() => {
        fsyncSync(fd);
        const { size } = fstatSync(fd);
        this.#requireNoLog();
        if (this.#overwrite) rename(this.#temporary, this.#target);
        else moveToFree(this.#temporary, this.#target);
        return size;
      });
    } finally {
      this.discard();
    }
  }

  /** Removes the temporary files. Does nothing after `finish`. */
  discard(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    const fd = this.#fd;
    this.#fd = undefined;
    try {
      if (fd === undefined) return;
      closeSync(fd);
      for (const suffix of ["", ...this.#sideFiles]) rmSync(`${this.#temporary}${suffix}`, { force: true });
    } finally {
      this.#directory.close();
    }
  }

  /** A log beside the target belongs to an older file, but a reader would apply it to the new one. */
  #requireNoLog(): void {
    for (const suffix of this.#logs) {
      const stats = lstatSync(`${this.#target}${suffix}`, { throwIfNoEntry: false });
      if (stats !== undefined && stats.size > 0) throw refuseLog(`${this.path}${suffix}`);
    }
  }

  #requireOpen(): number {
    if (this.#fd === undefined)
      throw new Fault("cancelled", `Writing ${JSON.stringify(this.path)} was cancelled.`);
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

/** Removes temporary files of killed processes. */
function removeLeftovers(directory: HeldDirectory, { isRunning }: OwnerProcess): void {
  const temporary = new RegExp(`^\\.${markOfHost()}-(\\d+)-[0-9a-f]{12}\\${TEMPORARY_SUFFIX}(?:-\\w+)?$`);
  for (const name of readdirSync(directory.at())) {
    const pid = temporary.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(directory.at(name), { force: true });
  }
}

const refuseDirectory = (path: string): Fault =>
  new Fault("invalid_input", `${quotePath(path)} is a directory.`, { hint: "Name a file in it." });

const refuseTaken = (path: string): Fault =>
  new Fault("conflict", `${quotePath(path)} exists.`, {
    hint: "Choose another name, or set overwrite.",
  });

const refuseLog = (path: string): Fault =>
  new Fault("conflict", `${quotePath(path)} exists, and would become a part of the new file.`, {
    hint: "Choose another name. It belongs to a file that a program has open or did not close.",
  });
