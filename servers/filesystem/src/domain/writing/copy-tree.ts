import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readlinkSync,
  symlinkSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  copyToNewFile,
  describeBytes,
  type EntryName,
  Fault,
  OpenDirectory,
  type PathGuard,
  quotePath,
  type SafePath,
  type StopSignal,
  TimeSlices,
  timesOf,
  toFault,
  toPathText,
} from "@suite/server-kit/domain";
import { attempt } from "../attempt.ts";
import { closing, withEntry } from "../closing.ts";
import { SkippedList } from "../walking/walk.ts";
import { isReservedName } from "../reserved-names.ts";

/** Both for checks and messages; the entries themselves are accessed through descriptors. */
interface Paths {
  readonly source: string;
  readonly destination: string;
}

/** Limits per call: copying more takes longer than a caller waits. */
const MOST_COPIED_BYTES = 1024 ** 3;
const MOST_COPIED_ENTRIES = 20_000;
const CAREFUL = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

interface CopyOptions {
  /** Counts without copying. */
  readonly isDryRun?: boolean | undefined;
  /** For a move, which must not change timestamps. */
  readonly keepsTimes?: boolean | undefined;
}

/**
 * Copies a file or a directory to a free name. Links are copied as links if they still lead inside; other links, special
 * files and protected entries are skipped and reported.
 */
export class TreeCopy {
  entries = 0;
  bytes = 0;
  /** Entries that were left out, by source path, with the reason. */
  readonly skipped: SkippedList = new SkippedList();
  readonly #guard: PathGuard;
  readonly #slices: TimeSlices;
  readonly #isDryRun: boolean;
  readonly #keepsTimes: boolean;

  constructor(guard: PathGuard, signal: StopSignal, { isDryRun = false, keepsTimes = false }: CopyOptions) {
    this.#guard = guard;
    this.#slices = new TimeSlices(signal);
    this.#isDryRun = isDryRun;
    this.#keepsTimes = keepsTimes;
  }

  /** Holds the source's directory open meanwhile. The final destination decides whether links lead outside. */
  async run(source: SafePath, destination: SafePath, temporary: string): Promise<void> {
    const paths = { source: toPathText(source), destination };
    await (this.#guard.roots.includes(source)
      ? // A descriptor path is itself a link: "/." copies its target.
        closing(this.#guard.holdDirectory(source), (held) => this.#copy(`${held.at()}/.`, temporary, paths))
      : withEntry(this.#guard, source, (at) => this.#copy(at, temporary, paths)));
  }

  async #copy(from: EntryName, to: EntryName, paths: Paths): Promise<void> {
    await this.#slices.step();
    const stats = this.#from(paths, () => lstatSync(from, { bigint: true }));
    const refusal = this.#findRefusal(from, stats, paths);
    if (refusal !== undefined) {
      this.skipped.add(paths.source, refusal);
      return;
    }
    this.#add(stats);
    if (stats.isFile()) await this.#copyFile(from, to, paths);
    else if (stats.isDirectory()) await this.#copyDirectory(from, to, stats, paths);
    else if (!this.#isDryRun) {
      symlinkSync(readlinkSync(from, "buffer"), to);
      if (this.#keepsTimes) lutimesSync(to, ...timesOf(stats));
    }
  }

  async #copyFile(from: EntryName, to: EntryName, paths: Paths): Promise<void> {
    const fd = this.#from(paths, () => openSync(from, CAREFUL));
    try {
      if (this.#isDryRun) return;
      const stats = fstatSync(fd, { bigint: true });
      const isDurable = this.entries === 1;
      const file = { path: to, like: stats, keepsTimes: this.#keepsTimes, isDurable };
      await copyToNewFile(file, { fd, stats }, this.#slices);
    } finally {
      closeSync(fd);
    }
  }

  async #copyDirectory(from: EntryName, to: EntryName, stats: BigIntStats, paths: Paths): Promise<void> {
    if (!this.#isDryRun) mkdirSync(to, { mode: 0o700 });
    const source = this.#from(paths, () => OpenDirectory.open(from));
    try {
      const destination = this.#isDryRun ? undefined : OpenDirectory.open(to);
      try {
        for (const name of source.names()) await this.#copyInto(source, destination, name, paths);
        // Last: the mode may forbid adding entries.
        destination?.setMode(Number(stats.mode & 0o777n));
        if (this.#keepsTimes) destination?.setTimes(...timesOf(stats));
      } finally {
        destination?.close();
      }
    } finally {
      source.close();
    }
  }

  async #copyInto(
    source: OpenDirectory,
    destination: OpenDirectory | undefined,
    name: Buffer,
    paths: Paths,
  ): Promise<void> {
    const text = name.toString();
    const below = { source: join(paths.source, text), destination: join(paths.destination, text) };
    if (isReservedName(text)) return;
    if (this.#isAllowed(below.destination, "write")) {
      await this.#copy(source.at(name), destination?.at(name) ?? "", below);
    } else this.skipped.add(below.source, "protected");
  }

  /** Reports errors under the source's path; all other errors are reported under the destination's. */
  #from<T>({ source }: Paths, work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw toFault(error, quotePath(source));
    }
  }

  #findRefusal(from: EntryName, stats: BigIntStats, { destination }: Paths): string | undefined {
    if (stats.isFile() || stats.isDirectory()) return undefined;
    if (!stats.isSymbolicLink()) return "not a file, directory or link";
    const target = resolve(dirname(destination), readlinkSync(from));
    return this.#isAllowed(target, "read") ? undefined : "a link that leads outside";
  }

  /** A copy must not create what the guard would refuse to a caller. */
  #isAllowed(path: string, intent: "read" | "write"): boolean {
    return attempt(() => this.#guard.locateExact(path, { intent })) !== undefined;
  }

  #add(stats: BigIntStats): void {
    this.entries += 1;
    if (stats.isFile()) this.bytes += Number(stats.size);
    if (this.entries > MOST_COPIED_ENTRIES || this.bytes > MOST_COPIED_BYTES) {
      const limit = `${MOST_COPIED_ENTRIES} entries and ${describeBytes(MOST_COPIED_BYTES)}`;
      throw new Fault("too_large", `There is more to copy than ${limit}`, {
        hint: "Nothing was copied. Copy smaller parts of it.",
      });
    }
  }
}
