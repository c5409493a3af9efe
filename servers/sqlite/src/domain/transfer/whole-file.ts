import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";

import { Fault, type HeldDirectory, type PathGuard, type SafePath, toFault } from "@suite/server-kit/domain";

const NEW = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** What SQLite may leave beside a database that it was writing when it was stopped. */
const SIDE_FILES = ["", "-journal", "-wal", "-shm"];

/** The process that a temporary file belongs to. */
export interface OwnerProcess {
  readonly pid: number;
  readonly isRunning: (pid: number) => boolean;
}

/** Process numbers mean something on one machine; a directory may be shared by several. */
const HOST = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
const TEMPORARY = new RegExp(`^\\.${HOST}-(\\d+)-[0-9a-f]{12}\\.suite-tmp(?:-journal|-wal|-shm)?$`);

/** What a server that was killed could not take away. Whoever writes to the same directory next does. */
function removeLeftovers(directory: HeldDirectory, { isRunning }: OwnerProcess): void {
  for (const name of readdirSync(directory.at())) {
    const pid = TEMPORARY.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(directory.at(name), { force: true });
  }
}

/** A file that appears whole or not at all: written beside its place, then moved there. */
export class WholeFile {
  readonly path: SafePath;
  readonly #directory: HeldDirectory;
  readonly #target: string;
  readonly #temporary: string;
  readonly #overwrite: boolean;
  readonly #pid: number;
  #fd: number | undefined;
  #isDone = false;

  constructor(guard: PathGuard, given: string, overwrite: boolean, owner: OwnerProcess) {
    this.path = guard.locate(given, { intent: "write" });
    const { directory, name } = guard.holdParent(this.path);
    this.#directory = directory;
    this.#target = directory.at(name);
    this.#overwrite = overwrite;
    this.#pid = owner.pid;
    const unique = `${HOST}-${owner.pid}-${randomBytes(6).toString("hex")}`;
    this.#temporary = directory.at(`.${unique}.suite-tmp`);
    try {
      if (!overwrite && existsSync(this.#target)) throw taken(this.path);
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
    this.#run(() => {
      for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
    });
    return bytes.length;
  }

  /** Takes its place, and gives its size; what is there already stays unless it may be replaced. */
  finish(): number {
    const fd = this.#requireOpen();
    try {
      return this.#run(() => {
        fsyncSync(fd);
        const { size } = fstatSync(fd);
        if (this.#overwrite || !isLinked(this.#temporary, this.#target))
          renameSync(this.#temporary, this.#target);
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
      for (const suffix of SIDE_FILES) rmSync(`${this.#temporary}${suffix}`, { force: true });
    }
    this.#fd = undefined;
    this.#directory.close();
  }

  #requireOpen(): number {
    if (this.#fd === undefined) throw new Fault("cancelled", `${JSON.stringify(this.path)} was given up.`);
    return this.#fd;
  }

  #run<T>(work: () => T): T {
    try {
      return work();
    } catch (thrown) {
      throw (thrown as NodeJS.ErrnoException).code === "EEXIST"
        ? taken(this.path)
        : toFault(thrown, this.path);
    }
  }
}

/** A second name can be given only where it is free. On a volume without them an empty file keeps the place. */
function isLinked(temporary: string, target: string): boolean {
  try {
    linkSync(temporary, target);
    return true;
  } catch (thrown) {
    if (!NO_LINKS.has((thrown as NodeJS.ErrnoException).code ?? "")) throw thrown;
    closeSync(openSync(target, NEW));
    return false;
  }
}

const NO_LINKS = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EMLINK"]);

const taken = (path: string): Fault =>
  new Fault("conflict", `${JSON.stringify(path)} exists.`, {
    hint: "Choose another name, or set overwrite.",
  });
