import { isAbsolute, join, relative } from "node:path";
import { type HeldDirectory, type PathGuard, type SafePath, syncDirectory } from "@suite/server-kit/domain";
import type { JournalEntry } from "./journal-entry.ts";
import { homeOf, type Trash } from "./trash.ts";

/** An entry, existing or not, of a directory that is held open. */
export interface ChangeTarget {
  readonly path: SafePath;
  /** For calls of node:fs that do not follow links. */
  readonly at: string;
  readonly directory: HeldDirectory;
  readonly name: string;
}

/** The trash, a change's folder in it, and the directories it touches, held open. Must be closed. */
export class OpenChange {
  readonly guard: PathGuard;
  readonly trash: Trash;
  readonly entry: JournalEntry;
  readonly #held = new Map<string, HeldDirectory>();
  readonly #targets = new Map<string, ChangeTarget>();

  constructor(guard: PathGuard, trash: Trash, entry: JournalEntry) {
    this.guard = guard;
    this.trash = trash;
    this.entry = entry;
  }

  /** The guard checks the path again: being recorded does not mean that it may be accessed. */
  target(recorded: string): ChangeTarget {
    const target = this.#targets.get(recorded) ?? this.#hold(recorded);
    this.#targets.set(recorded, target);
    return target;
  }

  /** Beside its target, so that both are on the same volume. */
  temporary({ path, temporary }: { readonly path: string; readonly temporary: string }): string {
    return this.target(path).directory.at(temporary);
  }

  image(name: string): string {
    return this.entry.folder.at(name);
  }

  sync(): void {
    for (const directory of this.#held.values()) syncDirectory(directory.at());
  }

  close(): void {
    for (const directory of this.#held.values()) directory.close();
    this.#held.clear();
    this.#targets.clear();
  }

  #hold(recorded: string): ChangeTarget {
    const path = this.guard.locateExact(toAbsolute(this.trash.root, recorded), {
      intent: "write",
      follow: false,
    });
    const { directory: opened, name } = this.guard.holdParent(path);
    const held = this.#held.get(opened.path);
    if (held) opened.close();
    else this.#held.set(opened.path, opened);
    const directory = held ?? opened;
    return { path, directory, name, at: directory.at(name) };
  }
}

/** The form in records: relative to the root, if the path belongs to it. */
export const toRecorded = (guard: PathGuard, root: string, path: string): string =>
  homeOf(guard, path) === root ? relative(root, path) : path;

export const toAbsolute = (root: string, recorded: string): string =>
  isAbsolute(recorded) ? recorded : join(root, recorded);
