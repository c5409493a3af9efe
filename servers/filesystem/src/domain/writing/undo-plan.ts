import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Fault, type PathGuard, quotePath, type SafePath } from "@suite/server-kit/domain";
import { closing, withEntry } from "../closing.ts";
import type { FoundChange } from "./changes/change-list.ts";
import type { Recorded, RecordedOperation } from "./changes/change-record.ts";
import { findMissingParents } from "./entry-at.ts";
import { lookAtEntry } from "../reading/open.ts";
import { kindOf } from "../walking/read-entries.ts";
import { type Identity, isOnSameVolume, isRespelling, isStill } from "./changes/identity.ts";
import { endsWith } from "./changes/operations/append.ts";
import { copyImage } from "./changes/operations/image.ts";
import type { PlannedOperation } from "./changes/change-plan.ts";
import { isReservedName } from "../reserved-names.ts";
import { BETWEEN_VOLUMES } from "./removal.ts";
import { toAbsolute } from "./changes/open-change.ts";
import { createTrash } from "./changes/trash.ts";

/** How to undo a change, and the conflicts with later changes. */
export interface UndoPlan {
  readonly make: SafePath[];
  readonly operations: PlannedOperation[];
  readonly unmake: SafePath[];
  /** Paths that are not as the change left them. */
  readonly conflicts: SafePath[];
  /** Set if something is deleted that cannot be kept: then the undo cannot be undone. */
  readonly cannotUndo?: string | undefined;
}

export function planUndo(guard: PathGuard, change: FoundChange): UndoPlan {
  const draft = new UndoDraft(guard, change);
  for (const operation of change.record.operations.toReversed()) draft.add(operation);
  draft.addDirectories();
  return draft;
}

/** Works on what a change has kept. */
export const withImage = <T>(
  guard: PathGuard,
  { root, record }: FoundChange,
  image: string,
  work: (at: string) => T,
): T =>
  closing(createTrash(guard, root).folder, (trash) =>
    closing(trash.enter(record.id), (folder) => work(folder.at(image))),
  );

class UndoDraft implements UndoPlan {
  readonly make: SafePath[] = [];
  readonly operations: PlannedOperation[] = [];
  readonly unmake: SafePath[] = [];
  readonly conflicts: SafePath[] = [];
  cannotUndo: string | undefined;
  readonly #guard: PathGuard;
  readonly #change: FoundChange;
  /** Paths that will not exist after the operations planned so far. */
  readonly #gone = new Set<string>();

  constructor(guard: PathGuard, change: FoundChange) {
    this.#guard = guard;
    this.#change = change;
  }

  add(operation: RecordedOperation): void {
    switch (operation.kind) {
      case "put":
        return this.#addPut(operation);
      case "append":
        return this.#addAppend(operation);
      case "cut":
        return this.#addCut(operation);
      case "take":
        return this.#addTake(operation);
      case "move":
        return this.#addMove(operation);
      case "restore":
        return this.#addRestore(operation);
      case "drop":
        // Permanently deleted.
        return undefined;
    }
  }

  addDirectories(): void {
    const { made, removed } = this.#change.record;
    for (const recorded of removed.toReversed()) {
      const path = this.#locate(recorded);
      this.#makeParents(path);
      if (!lookAtEntry(this.#guard, path) && !this.make.includes(path)) this.make.push(path);
    }
    for (const recorded of made.toReversed()) {
      const path = this.#locate(recorded);
      if (!lookAtEntry(this.#guard, path)) continue;
      if (this.#willBeEmpty(path)) {
        this.unmake.push(path);
        this.#gone.add(path);
      } else if (this.#change.record.operations.length === 0) {
        if (this.unmake.length === 0) throw refuseUsed(path);
        this.conflicts.push(path);
      }
    }
  }

  #addPut({ path: recorded, image, identity }: Recorded<"put">): void {
    const path = this.#locate(recorded);
    this.#requireStill(identity, path);
    if (image !== undefined) this.#putBack(path, image, identity);
    else this.#takeAway(path);
  }

  /** Removes exactly the added bytes or nothing, even with `force`. */
  #addAppend({ path: recorded, image }: Recorded<"append">): void {
    const path = this.#locate(recorded);
    const bytes = this.#withImage(image, (at) => readFileSync(at));
    if (!withEntry(this.#guard, path, (at) => endsWith(at, bytes))) throw refuseAppended(path);
    this.operations.push({ kind: "cut", path, bytes });
  }

  #addCut({ path: recorded, image }: Recorded<"cut">): void {
    const path = this.#locate(recorded);
    if (!this.#isThere(path)) throw refuseAppended(path);
    this.operations.push({ kind: "append", path, bytes: this.#withImage(image, (at) => readFileSync(at)) });
  }

  #addTake({ path: recorded, image }: Recorded<"take">): void {
    const path = this.#locate(recorded);
    if (this.#isThere(path)) this.conflicts.push(path);
    this.#takeAway(path);
    this.#makeParents(path);
    this.operations.push({ kind: "restore", path, entry: this.#change.record.id, image });
  }

  #addMove({ from, to, image, identity }: Recorded<"move">): void {
    const [source, target] = [this.#locate(from), this.#locate(to)];
    this.#requireStill(identity, target);
    const canReturn = identity !== undefined && this.#isEntry(identity, target);
    if (!canReturn && image === undefined) throw refuseMoved(target);
    if (canReturn) {
      // Where the volume ignores case, the old spelling finds the entry itself.
      const isRespelled =
        dirname(source) === dirname(target) &&
        isRespelling(dirname(target), basename(source), basename(target));
      if (!isRespelled) {
        if (this.#isThere(source)) this.conflicts.push(source);
        this.#takeAway(source);
        this.#makeParents(source);
      }
      this.operations.push({ kind: "move", from: target, to: source, replaces: false });
      this.#gone.add(target);
    }
    if (image !== undefined) this.#putBack(target, image);
  }

  #addRestore({ path: recorded, identity }: Recorded<"restore">): void {
    const path = this.#locate(recorded);
    this.#requireStill(identity, path);
    this.#takeAway(path);
  }

  /** Replaces whatever is there now: a file atomically, anything else is removed first. */
  #putBack(path: SafePath, image: string, seen?: Identity): void {
    const there = this.#isThere(path) ? lookAtEntry(this.#guard, path) : undefined;
    const replaces = there !== undefined && kindOf(there) === "file";
    if (!replaces) this.#takeAway(path);
    this.#makeParents(path);
    const fill = (temporary: string): Promise<void> =>
      this.#withImage(image, (at) => copyImage(at, temporary));
    const basedOn = this.conflicts.includes(path) ? undefined : seen?.etag;
    this.operations.push({ kind: "put", path, replaces, basedOn, fill });
  }

  #takeAway(path: SafePath): void {
    if (!this.#isThere(path)) return;
    this.#gone.add(path);
    if (isOnSameVolume(this.#change.root, dirname(path))) {
      this.operations.push({ kind: "take", path });
      return;
    }
    // It is a copy from another volume, and may be deleted if it is unchanged.
    if (this.conflicts.includes(path)) throw refuseFar(path);
    this.operations.push({ kind: "drop", path });
    this.cannotUndo = BETWEEN_VOLUMES;
  }

  #withImage<T>(image: string, work: (at: string) => T): T {
    return withImage(this.#guard, this.#change, image, work);
  }

  #requireStill(identity: Identity | undefined, path: SafePath): void {
    if (!identity || !this.#isThere(path) || !this.#isStill(identity, path)) this.conflicts.push(path);
  }

  /** Whether it is the same entry, even with other content. */
  #isEntry(identity: Identity, path: SafePath): boolean {
    if (!this.#isThere(path)) return false;
    const inode = String(lookAtEntry(this.#guard, path)?.ino);
    return inode === identity.inode || this.#isStill(identity, path);
  }

  #isStill(identity: Identity, path: SafePath): boolean {
    return withEntry(this.#guard, path, (at) => isStill(identity, at));
  }

  #isThere(path: SafePath): boolean {
    return !this.#gone.has(path) && lookAtEntry(this.#guard, path) !== undefined;
  }

  #makeParents(path: SafePath): void {
    for (const parent of findMissingParents(this.#guard, path)) {
      if (!this.make.includes(parent)) this.make.push(parent);
    }
  }

  #willBeEmpty(path: SafePath): boolean {
    const names = closing(this.#guard.holdDirectory(path), (held) => readdirSync(held.at()));
    return names.every((name) => isReservedName(name) || this.#gone.has(join(path, name)));
  }

  #locate(recorded: string): SafePath {
    const path = toAbsolute(this.#change.root, recorded);
    return this.#guard.locateExact(path, { intent: "write", follow: false });
  }
}

const refuseAppended = (path: SafePath): Fault =>
  new Fault("conflict", `${quotePath(path)} no longer ends with what was added`, {
    hint: "Nothing was changed. Read its end, and use edit_file.",
    details: { conflicts: [path] },
  });

/** Applies even with `force`: the current entry was never at the old place. */
const refuseMoved = (path: SafePath): Fault =>
  new Fault("conflict", `${quotePath(path)} is no longer what was moved there`, {
    hint: "Nothing was changed. If it was edited since, undo that first; otherwise look at both places, and use move_file.",
    details: { conflicts: [path] },
  });

const refuseUsed = (path: SafePath): Fault =>
  new Fault("conflict", `${quotePath(path)} is no longer empty`, {
    hint: "Nothing was changed. Delete its contents first, or all of it with delete_file.",
    details: { conflicts: [path] },
  });

const refuseFar = (path: SafePath): Fault =>
  new Fault(
    "unsupported",
    `${quotePath(path)} is on a different volume than the trash, so it cannot be moved there`,
    {
      hint: "Nothing was changed. Move it back with move_file.",
    },
  );
