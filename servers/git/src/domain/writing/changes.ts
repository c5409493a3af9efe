import { randomBytes } from "node:crypto";

import { type ChildResult, KeyedLocks, type PathGuard, type StopSignal } from "@suite/server-kit/domain";

import type { Git, RunOptions } from "../git/git.ts";
import type { Repository } from "../repository/repository.ts";
import { type Entry, forget, prune, record } from "./journal.ts";
import { type Scope, type Snapshot, takeSnapshot } from "./snapshot.ts";
import { type Processes, WriteMarker } from "./write-marker.ts";

/** What a write says of itself before it begins. */
export interface ChangeRequest extends Scope {
  readonly tool: string;
  /** One line, for the list of operations. */
  readonly summary: string;
  /** For what refs and files of this work tree do not tell: it cannot be undone by putting those back. */
  readonly keepsNoBackup?: boolean;
  /** Which earlier one it takes back. */
  readonly undoes?: string;
}

export interface ChangeContext {
  readonly git: Git;
  readonly guard: PathGuard;
  readonly repository: Repository;
  readonly signal: StopSignal;
}

/** A write in progress. Nothing is changed before `begin`. */
export class Change {
  readonly #context: ChangeContext;
  readonly #processes: Processes;
  readonly #noUndo: boolean;
  #entry: Entry | undefined;
  #request: ChangeRequest | undefined;
  #marker: WriteMarker | undefined;

  constructor(context: ChangeContext, processes: Processes, noUndo: boolean) {
    this.#context = context;
    this.#processes = processes;
    this.#noUndo = noUndo;
  }

  /** By which the write can be undone; absent before `begin` and where the operator wants none kept. */
  get id(): string | undefined {
    return this.#entry?.id;
  }

  /** From here on others wait, and what there was can be brought back. */
  async begin(request: ChangeRequest): Promise<void> {
    const { git, repository, signal } = this.#context;
    this.#marker = await WriteMarker.take(repository, this.#processes, signal);
    this.#request = request;
    if (this.#noUndo || request.keepsNoBackup) return;
    const entry = {
      id: createId(),
      time: new Date().toISOString(),
      tool: request.tool,
      summary: request.summary,
      ...(request.undoes !== undefined && { undoes: request.undoes }),
      gitDir: repository.gitDir,
      before: await this.#snapshot(signal),
    };
    await record(git, repository, entry, signal);
    this.#entry = entry;
  }

  /** Runs a git command that changes something. Its process is known to whoever cleans up after a crash. */
  run(args: readonly string[], options: Omit<RunOptions, "signal"> = {}): Promise<ChildResult> {
    const { git, repository, signal } = this.#context;
    if (!this.#marker) throw new Error("A change must begin before git is run");
    const onStart = (pid: number): void => this.#marker?.started(pid);
    return git.run(repository, args, { ...options, signal, writes: true, onStart });
  }

  /** Keeps what the write has led to. One that failed without changing anything leaves no trace. */
  async finish(isFailed: boolean): Promise<void> {
    const { git, repository, signal: stop } = this.#context;
    try {
      if (isFailed && stop.aborted) this.#marker?.clearLocks(repository);
      if (!this.#entry) return;
      // A cancelled write has ended all the same, and what it did must be known.
      const signal = AbortSignal.timeout(FINISH_MS);
      const after = await this.#snapshot(signal);
      if (isFailed && isSame(this.#entry.before, after)) {
        await forget(git, repository, this.#entry.id, signal);
        this.#entry = undefined;
      } else {
        await record(git, repository, { ...this.#entry, after }, signal);
      }
      if (counter % PRUNE_EVERY === 0) await prune(git, repository, signal);
    } finally {
      this.#marker?.release();
    }
  }

  #snapshot(signal: StopSignal): Promise<Snapshot> {
    const { git, guard, repository } = this.#context;
    return takeSnapshot(git, guard, repository, this.#request ?? {}, signal);
  }
}

const FINISH_MS = 30_000;
const PRUNE_EVERY = 20;
let counter = 0;

/** Sorts by time, also within a second. */
function createId(): string {
  counter += 1;
  const time = new Date().toISOString().replaceAll(/[-:.]/g, "").slice(0, 18);
  return `${time}-${randomBytes(2).toString("hex")}`;
}

const isSame = (a: Snapshot, b: Snapshot): boolean => findDifferences(a, b).length === 0;

/** What is not the same, in words. */
export function findDifferences(a: Snapshot, b: Snapshot): readonly string[] {
  const refs = Object.keys(a.refs).filter((name) => a.refs[name] !== b.refs[name]);
  return [
    ...(a.head === b.head ? [] : ["another branch is checked out"]),
    ...(a.commit === b.commit ? [] : ["HEAD has moved"]),
    ...refs.map((name) => `${name} has moved`),
    ...(a.index === b.index ? [] : ["the index is different"]),
    ...(a.worktree === b.worktree ? [] : ["files in the work tree are different"]),
    ...(a.operation === b.operation ? [] : ["another operation is in progress"]),
  ];
}

/** Every write goes through here: one at a time per repository, kept in the journal, cleaned up after. */
export class Changes {
  readonly #locks = new KeyedLocks();
  readonly #processes: Processes;
  readonly #noUndo: boolean;

  constructor(processes: Processes, noUndo: boolean) {
    this.#processes = processes;
    this.#noUndo = noUndo;
  }

  /** `work` plans first, and calls `begin` when nothing stands in its way; in a dry run it never does. */
  run<T>(context: ChangeContext, work: (change: Change) => Promise<T>): Promise<T> {
    return this.#locks.run([context.repository.commonDir], context.signal, async () => {
      const change = new Change(context, this.#processes, this.#noUndo);
      let isFailed = true;
      try {
        const result = await work(change);
        isFailed = false;
        return result;
      } finally {
        await change.finish(isFailed);
      }
    });
  }
}
