import { randomBytes } from "node:crypto";

import { type ChildResult, KeyedLocks } from "@suite/server-kit/domain";
import type { ObjectEntries } from "valibot";

import type { Asked } from "../fields.ts";
import type { GitCallOptions, RepositoryCall } from "../git/repository-call.ts";
import { toShortLine } from "../reading/records.ts";
import { type KeptChange, forget, prune, record } from "./change-list.ts";
import { hasSameIndex, hasSameStashes, type SnapshotScope, type Snapshot, takeSnapshot } from "./snapshot.ts";
import { findSubmoduleOverrides } from "./submodules.ts";
import { type Processes, ChangeMarker } from "./change-marker.ts";

/** What will be changed, stated before it begins. */
export interface ChangeAnnouncement extends SnapshotScope {
  readonly tool: string;
  /** One line, for the list of changes. */
  readonly summary: string;
  /** Why it cannot be undone, if restoring refs and files would not do. */
  readonly irreversible?: string;
  /** The change that it undoes. */
  readonly undoes?: string;
}

/** What a tool does that changes something: plans with `call`, then acts with `change` unless it is only tried. */
export type ChangeTool<Fields extends ObjectEntries, Done> = (
  call: RepositoryCall,
  change: RepositoryChange,
  asked: Asked<Fields>,
) => Promise<Done>;

/** A change in progress. Nothing is changed before `begin`. */
export class RepositoryChange {
  #call: RepositoryCall;
  readonly #processes: Processes;
  readonly #noUndo: boolean;
  readonly #principal: string | undefined;
  #kept: KeptChange | undefined;
  #request: ChangeAnnouncement | undefined;
  #marker: ChangeMarker | undefined;

  constructor(call: RepositoryCall, processes: Processes, noUndo: boolean, principal: string | undefined) {
    this.#call = call;
    this.#processes = processes;
    this.#noUndo = noUndo;
    this.#principal = principal;
  }

  /** The id for git_undo; absent before `begin`, and if this cannot be undone. */
  get id(): string | undefined {
    return this.#kept?.irreversible === undefined ? this.#kept?.id : undefined;
  }

  /** The state at `begin`; absent with --no-undo. */
  get before(): Snapshot | undefined {
    return this.#kept?.before;
  }

  /** From here on, other servers wait. */
  async claim(): Promise<void> {
    if (this.#marker) return;
    const marker = await ChangeMarker.take(this.#call.repository, this.#processes, this.#call.signal);
    this.#marker = marker;
    this.#call = this.#call.watchedBy({
      onStart: (pid) => marker.started(pid),
      onEnd: (pid) => marker.ended(pid),
      onKill: () => marker.killed(),
    });
    this.override(await findSubmoduleOverrides(this.#call));
  }

  /** Overrides settings of a nested repository, too, which git would obey there. */
  override(settings: readonly string[]): void {
    this.#call = this.#call.overriding(settings);
  }

  /** From here on, the previous state can be restored, or the change is listed as one that cannot be undone. */
  async begin(request: ChangeAnnouncement): Promise<void> {
    await this.claim();
    this.#request = request;
    if (this.#noUndo) return;
    const { undoes, irreversible } = request;
    const kept = {
      id: createId(),
      time: new Date().toISOString(),
      tool: request.tool,
      summary: toShortLine(request.summary),
      ...(undoes !== undefined && { undoes }),
      ...(irreversible !== undefined && { irreversible }),
      ...(this.#principal !== undefined && { principal: this.#principal }),
      gitDir: this.#call.repository.gitDir,
      before: await takeSnapshot(this.#call, request),
    };
    await record(this.#call, kept);
    this.#kept = kept;
  }

  /** Runs a git command that changes something. */
  run(args: readonly string[], options: GitCallOptions = {}): Promise<ChildResult> {
    if (!this.#marker) throw new Error("A change must begin before git is run");
    return this.#call.run(args, { ...options, writes: true });
  }

  /** Also runs after the call was stopped: for restoring state. */
  putBack(args: readonly string[], options: GitCallOptions = {}): Promise<ChildResult> {
    return this.#call.until(AbortSignal.timeout(FINISH_MS)).run(args, { ...options, writes: true });
  }

  /** Records the resulting state. One that failed without changing anything is not kept. */
  async finish(isFailed: boolean): Promise<void> {
    try {
      this.#marker?.clearLocks(this.#call.repository);
      if (!this.#kept) return;
      // Also for a cancelled write: what it did must be recorded.
      const call = this.#call.until(AbortSignal.timeout(FINISH_MS));
      const after = await takeSnapshot(call, this.#request ?? {});
      if (isFailed && findDifferences(this.#kept.before, after).length === 0) {
        await forget(call, this.#kept.id);
        this.#kept = undefined;
      } else {
        const { undoes, ...kept } = this.#kept;
        await record(call, { ...kept, ...(undoes !== undefined && !isFailed && { undoes }), after });
      }
      if (counter % PRUNE_EVERY === 0) await prune(call);
    } finally {
      this.#marker?.release();
    }
  }
}

const FINISH_MS = 30_000;
const PRUNE_EVERY = 20;
let counter = 0;

/** Sorts by time, to the millisecond. */
function createId(): string {
  counter += 1;
  const time = new Date().toISOString().replaceAll(/[-:.]/g, "").slice(0, 18);
  return `${time}-${randomBytes(2).toString("hex")}`;
}

/** What is not the same, in words. */
export function findDifferences(a: Snapshot, b: Snapshot): readonly string[] {
  const refs = Object.keys(a.refs).filter((name) => a.refs[name] !== b.refs[name]);
  return [
    ...(a.head === b.head ? [] : ["another branch is checked out"]),
    ...(a.commit === b.commit ? [] : ["HEAD has moved"]),
    ...refs.map((name) => `${name} has moved`),
    ...(hasSameIndex(a, b) ? [] : ["the index is different"]),
    ...(a.worktree === b.worktree ? [] : ["files in the work tree are different"]),
    ...(hasSameStashes(a, b) ? [] : ["the list of stashes is different"]),
    ...(a.operation === b.operation || a.operation === null ? [] : [`git ${a.operation} has ended`]),
    ...(a.operation === b.operation || b.operation === null ? [] : [`git ${b.operation} has begun`]),
  ];
}

/** Every change goes through here: one at a time per repository, kept for git_undo, cleaned up after. */
export class Changes {
  readonly #locks = new KeyedLocks();
  readonly #processes: Processes;
  readonly #noUndo: boolean;
  readonly #report: (thrown: unknown) => void;

  constructor(processes: Processes, noUndo: boolean, report: (thrown: unknown) => void) {
    this.#processes = processes;
    this.#noUndo = noUndo;
    this.#report = report;
  }

  /** `work` plans first, and calls `begin` when nothing stands in its way; in a dry run it never does. */
  run<T>(
    call: RepositoryCall,
    principal: string | undefined,
    work: (change: RepositoryChange) => Promise<T>,
  ): Promise<T> {
    return this.#locks.run([call.repository.commonDir], call.signal, async () => {
      const change = new RepositoryChange(call, this.#processes, this.#noUndo, principal);
      // A failure to record does not change the outcome: the change is listed as interrupted then.
      const finish = (isFailed: boolean): Promise<void> => change.finish(isFailed).catch(this.#report);
      try {
        const result = await work(change);
        await finish(false);
        return result;
      } catch (thrown) {
        await finish(true);
        throw thrown;
      }
    });
  }
}
