import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PathGuard, protectGit } from "@suite/server-kit/domain";
import { onTestFinished } from "vitest";
import type { ChangeRequest } from "../../../src/domain/writing/changes/apply-change.ts";
import { ChangeJournal, type JournalOptions } from "../../../src/domain/writing/changes/journal.ts";
import { undoChange } from "../../../src/domain/writing/undo-change.ts";
import { isReservedName, protectReserved, TRASH_NAME } from "../../../src/domain/reserved-names.ts";

export const OPTIONS: JournalOptions = {
  keep: true,
  maxEntries: 100,
  maxBytes: 1024 * 1024 * 1024,
  maxAgeMs: 24 * 60 * 60 * 1000,
  pid: process.pid,
};

/** A root with files in it, and a directory beside it that nobody may touch. Gone after the test. */
export class Scratch {
  readonly base: string;
  readonly root: string;
  readonly outside: string;
  readonly guard: PathGuard;
  readonly journal: ChangeJournal;

  constructor(options: Partial<JournalOptions> = {}, parent: string = tmpdir()) {
    this.base = realpathSync(mkdtempSync(join(parent, "suite-writing-")));
    this.root = join(this.base, "root");
    this.outside = join(this.base, "outside");
    for (const path of [this.root, this.outside]) mkdirSync(path);
    this.guard = createGuard([this.root]);
    this.journal = new ChangeJournal({ ...OPTIONS, ...options });
    onTestFinished(() => rmSync(this.base, { recursive: true, force: true }));
  }

  get trash(): string {
    return join(this.root, TRASH_NAME);
  }

  at(...names: string[]): string {
    return join(this.root, ...names);
  }

  write(name: string, content: string | Buffer): string {
    const path = this.at(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  read(name: string): string {
    return readFileSync(this.at(name), "utf8");
  }

  /** For `asNobody`. */
  openToAll(): void {
    for (const path of [this.base, this.root]) chmodSync(path, 0o777);
  }

  request(isDryRun = false): ChangeRequest {
    return { guard: this.guard, journal: this.journal, signal: new AbortController().signal, isDryRun };
  }

  undo(id = "last", options: { readonly force?: boolean } = {}): ReturnType<typeof undoChange> {
    return undoChange(this.request(), { id, ...options });
  }

  /** Every file below the root with its content; the server's own are left out. */
  tree(): { [path: string]: string } {
    return Object.fromEntries(treeOf(this.root).filter(([path]) => !path.split("/").some(isReservedName)));
  }

  /** What was left beside the files. */
  leftovers(): string[] {
    return treeOf(this.root)
      .map(([path]) => path)
      .filter((path) => !path.startsWith(TRASH_NAME) && path.split("/").some(isReservedName));
  }

  entries(): string[] {
    return readdirSync(this.trash).filter((name) => name !== ".gitignore");
  }
}

export const createGuard = (roots: readonly string[]): PathGuard =>
  new PathGuard({ roots, protect: (path) => protectReserved(path) ?? protectGit(path) });

function treeOf(root: string, prefix = ""): [string, string][] {
  return readdirSync(join(root, prefix), { withFileTypes: true }).flatMap((entry): [string, string][] => {
    const path = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isDirectory()) return [[`${path}/`, ""], ...treeOf(root, path)];
    return [[path, entry.isFile() ? readFileSync(join(root, path), "utf8") : "(not a file)"]];
  });
}
