/**
 * Ends changes at every single step that they take on the disk, one after the other: from there on all calls fail, as for a
 * process that was killed. Then another process's journal recovers, and what there is must be what there was before, or what
 * there would have been after. Prints what is wrong as JSON, and how many ends were tried. Without an argument it prints the
 * names of all scenarios, otherwise it tries the one of that name.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PathGuard } from "@suite/server-kit/domain";
import { editFile } from "../../../../../src/domain/editing/edit-file.ts";
import { replaceInFiles } from "../../../../../src/domain/editing/replace-in-files.ts";
import { appendFile } from "../../../../../src/domain/writing/append-file.ts";
import { recover } from "../../../../../src/domain/writing/changes/recovery.ts";
import type { ChangeRequest } from "../../../../../src/domain/writing/changes/apply-change.ts";
import { ChangeJournal } from "../../../../../src/domain/writing/changes/journal.ts";
import { copyEntry } from "../../../../../src/domain/writing/copy-entry.ts";
import { createDirectory } from "../../../../../src/domain/writing/create-directory.ts";
import { deleteEntry } from "../../../../../src/domain/writing/delete-entry.ts";
import { moveEntry } from "../../../../../src/domain/writing/move-entry.ts";
import { isReservedName } from "../../../../../src/domain/reserved-names.ts";
import { undoChange } from "../../../../../src/domain/writing/undo-change.ts";
import { writeFile } from "../../../../../src/domain/writing/write-file.ts";

type Step = (request: ChangeRequest) => Promise<unknown>;

interface Scenario {
  /** Done first, and never disturbed. */
  readonly before?: Step;
  readonly change: Step;
  readonly keep?: boolean;
  /** Recovering from it is ended at every step as well. */
  readonly isDeep?: boolean;
  /** It is made in the file itself: what a write was ended in the middle of is there until recovery. */
  readonly isInPlace?: boolean;
}

const last = { id: "last" };
const renaming = { path: ".", pattern: "old", replacement: "new", expected_count: 3 };

const SCENARIOS: { readonly [name: string]: Scenario } = {
  "write a new file": { change: (on) => writeFile(on, { path: "new", content: "new" }) },
  "write a new file in new directories": {
    change: (on) => writeFile(on, { path: "x/y/new", content: "new" }),
  },
  "replace a file": { change: (on) => writeFile(on, { path: "a", content: "new" }) },
  "replace a file, keeping nothing": {
    keep: false,
    change: (on) => writeFile(on, { path: "a", content: "new" }),
  },
  append: {
    isDeep: true,
    isInPlace: true,
    change: (on) => appendFile(on, { path: "a", content: " and more" }),
  },
  "undo an append": {
    isDeep: true,
    isInPlace: true,
    before: (on) => appendFile(on, { path: "a", content: " and more" }),
    change: undoLast,
  },
  edit: { change: (on) => editFile(on, { path: "a", edits: [{ oldText: "old", newText: "new" }] }) },
  "replace in two files": {
    isDeep: true,
    change: (on) => replaceInFiles(on, { ...renaming, path: "dir", expected_count: 2 }),
  },
  "replace in three files, keeping nothing": { keep: false, change: (on) => replaceInFiles(on, renaming) },
  "create directories": { change: (on) => createDirectory(on, { path: "x/y/z" }) },
  "move a file": { change: (on) => moveEntry(on, { source: "a", destination: "moved" }) },
  "move over a file": {
    isDeep: true,
    change: (on) => moveEntry(on, { source: "a", destination: "dir/b", overwrite: true }),
  },
  "move a directory": { change: (on) => moveEntry(on, { source: "dir", destination: "moved" }) },
  "move over a directory": {
    isDeep: true,
    change: (on) => moveEntry(on, { source: "dir", destination: "other", overwrite: true }),
  },
  "copy a file": { change: (on) => copyEntry(on, { source: "a", destination: "copy" }) },
  "copy a directory": { change: (on) => copyEntry(on, { source: "dir", destination: "copy" }) },
  "copy over a directory": {
    change: (on) => copyEntry(on, { source: "dir", destination: "other", overwrite: true }),
  },
  "delete a file": { change: (on) => deleteEntry(on, { path: "a" }) },
  "delete a directory": { change: (on) => deleteEntry(on, { path: "dir", recursive: true }) },
  "delete a directory for good": {
    change: (on) => deleteEntry(on, { path: "dir", recursive: true, permanent: true }),
  },
  "undo a replacement": { before: (on) => writeFile(on, { path: "a", content: "new" }), change: undoLast },
  "undo a new file": {
    before: (on) => writeFile(on, { path: "x/new", content: "new" }),
    change: undoLast,
  },
  "undo replacements in three files": { before: (on) => replaceInFiles(on, renaming), change: undoLast },
  "undo a move over a file": {
    isDeep: true,
    before: (on) => moveEntry(on, { source: "a", destination: "dir/b", overwrite: true }),
    change: undoLast,
  },
  "undo the deletion of a file": { before: (on) => deleteEntry(on, { path: "a" }), change: undoLast },
  "undo the deletion of a directory": {
    before: (on) => deleteEntry(on, { path: "dir", recursive: true }),
    change: undoLast,
  },
  "undo a copy over a directory": {
    before: (on) => copyEntry(on, { source: "dir", destination: "other", overwrite: true }),
    change: undoLast,
  },
};

function undoLast(on: ChangeRequest): Promise<unknown> {
  return undoChange(on, last);
}

interface Call {
  (...args: unknown[]): unknown;
  native?: Call;
}

const { O_CREAT, O_RDWR, O_WRONLY } = fs.constants;

/** What changes something. Between two of these a process may be ended anywhere: the disk is the same. */
const CHANGES: ReadonlySet<string> = new Set(
  "appendFile chmod chown copyFile cp fchmod fchown ftruncate link mkdir rename rm rmdir symlink truncate unlink utimes write writeFile"
    .split(" ")
    .map((name) => `${name}Sync`),
);
const isChange = (name: string, [, flags]: unknown[]): boolean =>
  CHANGES.has(name) ||
  (name === "openSync" &&
    (typeof flags === "number" ? (flags & (O_CREAT | O_RDWR | O_WRONLY)) !== 0 : flags !== "r"));

const originals = new Map(
  (Object.keys(fs) as (keyof typeof fs)[])
    .filter((name) => name.endsWith("Sync") && typeof fs[name] === "function")
    .map((name) => [name, fs[name] as unknown as Call]),
);

/** Ends at a change: before it, or in the middle of writing. No call gets through after that. Returns how many there were. */
async function withEnd(at: number, work: () => Promise<unknown>): Promise<number> {
  let [changes, isEnded] = [0, false];
  const count = (name: string, call: Call): Call => {
    const counted: Call = (...args) => {
      if (!isEnded && isChange(name, args)) changes += 1;
      if (!isEnded && changes >= at) {
        isEnded = true;
        if (name === "writeFileSync") call(args[0], "", args[2]);
        if (name === "writeSync" && args[1] instanceof Uint8Array)
          call(args[0], args[1].subarray(0, args[1].length / 2));
      }
      if (isEnded) throw new Error(`ended at change ${at}`);
      return call(...args);
    };
    return Object.assign(counted, call.native && { native: count(name, call.native) });
  };
  replaceCalls((name, original) => count(name, original));
  try {
    await work().catch((error: unknown) => {
      if (!isEnded) throw error;
    });
  } finally {
    replaceCalls((_, original) => original);
  }
  return changes;
}

function replaceCalls(replace: (name: string, original: Call) => Call): void {
  for (const [name, original] of originals) {
    Object.defineProperty(fs, name, { value: replace(name, original), configurable: true, writable: true });
  }
  syncBuiltinESMExports();
}

/** Not used by the system for any process: whoever has it has ended. */
const ENDED = 0x7f_ff_ff_fe;

function createRoot(base: string): string {
  const root = fs.mkdtempSync(join(base, "root-"));
  for (const name of ["dir", "other"]) fs.mkdirSync(join(root, name));
  for (const name of ["a", "dir/b", "dir/c", "other/d"]) {
    fs.writeFileSync(join(root, name), name === "other/d" ? "different" : `old ${name}`);
  }
  return root;
}

const toRequest = (root: string, keep: boolean, pid: number): ChangeRequest & { journal: ChangeJournal } => ({
  guard: new PathGuard({ roots: [root] }),
  signal: new AbortController().signal,
  journal: new ChangeJournal({ keep, pid, maxEntries: 100, maxBytes: 1e9, maxAgeMs: 1e9 }),
});

function treeOf(root: string, prefix = ""): string[] {
  return fs.readdirSync(join(root, prefix), { withFileTypes: true }).flatMap((entry) => {
    const path = join(prefix, entry.name);
    if (path === ".suite-trash") return [];
    if (entry.isDirectory()) return [`${path}/`, ...treeOf(root, path)];
    const text = entry.isFile() ? fs.readFileSync(join(root, path), "utf8") : "(not a file)";
    return [`${path}: ${text}`];
  });
}

/** A folder without a record was begun in the last moment, and goes with the old ones: nothing refers to it. */
function findUnfinished(root: string): string[] {
  // What has two names would change in the trash with the file.
  const isDoubled = (stats: fs.Stats): boolean => stats.isFile() && stats.nlink > 1;
  return fs
    .readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => /(pending|commit)\.json$/.test(path) || isDoubled(fs.lstatSync(join(root, path))));
}

/** `again`: the recovery is ended as well, and another one follows. */
async function tryEnd(scenario: Scenario, at: number, again = Infinity): Promise<Trial> {
  const { before, change, keep = true } = scenario;
  const root = createRoot(base);
  const [first, second, third] = [ENDED, ENDED - 1, process.pid].map((pid) => toRequest(root, keep, pid));
  if (!first || !second || !third) throw new Error("never");
  await before?.(first);
  const start = treeOf(root);
  const steps = await withEnd(at, () => change(first));
  const contents = treeOf(root).filter((path) => !path.split(/[/:]/).some(isReservedName));
  const recoverySteps = await withEnd(again, () => recover(second.journal, second.guard, second.signal));
  await recover(third.journal, third.guard, third.signal);
  const end = treeOf(root);
  const unfinished = findUnfinished(root);
  fs.rmSync(root, { recursive: true });
  return { start, contents, end, unfinished, steps, recoverySteps };
}

interface Trial {
  readonly start: string[];
  /** Right after the end, before anything is recovered. */
  readonly contents: string[];
  readonly end: string[];
  readonly unfinished: string[];
  readonly steps: number;
  readonly recoverySteps: number;
}

async function tryAllEnds(name: string, scenario: Scenario): Promise<void> {
  const problems: unknown[] = [];
  let ends = 0;
  const { start, end: after, steps } = await tryEnd(scenario, Infinity);
  const allowed = new Set([start, after].map((tree) => JSON.stringify(tree)));
  const known = new Set([...start, ...after]);
  const verify = ({ contents, end, unfinished }: Trial, at: number, again?: number): void => {
    ends += 1;
    // Paths that did not get so far may be missing, but what is there is whole.
    const torn = contents.filter(
      (line) =>
        !line.endsWith("/") && !known.has(line) && !(scenario.isInPlace && line.startsWith("a: old a")),
    );
    if (!allowed.has(JSON.stringify(end)) || unfinished.length > 0 || torn.length > 0) {
      problems.push({ name, at, again, steps, end, unfinished, torn });
    }
  };
  for (let at = 1; at <= steps; at += 1) {
    const trial = await tryEnd(scenario, at);
    verify(trial, at);
    const most = scenario.isDeep === true ? trial.recoverySteps : 0;
    for (let again = 1; again <= most; again += 1) verify(await tryEnd(scenario, at, again), at, again);
  }
  process.stdout.write(JSON.stringify({ ends, problems }));
}

const [, , wanted = ""] = process.argv;
const scenario = SCENARIOS[wanted];
const base = fs.mkdtempSync(join(fs.realpathSync(tmpdir()), "suite-crash-"));
if (scenario) await tryAllEnds(wanted, scenario);
else process.stdout.write(JSON.stringify(Object.keys(SCENARIOS)));
fs.rmSync(base, { recursive: true });
