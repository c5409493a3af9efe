import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

import { callTool, type Fields, PATIENCE_MS, until } from "@suite/check/wires";
import { isRunning } from "@suite/server-kit/domain";
import { expect, it } from "vitest";

import { createHistory } from "../git/history.ts";
import { failureOf, openGit, type Plain, resultOf, startCommit, stateOf } from "../git/program.ts";
import { createPlace } from "../support/place.ts";
import { inSoak } from "../support/soak.ts";
import type { Wire } from "../support/wire.ts";
import {
  createKiller,
  createStage,
  type KilledWriter,
  MOMENTS,
  type Moment,
  type RepositoryStage,
  WRITERS,
} from "./killed-writers.ts";
import { describeOnUnix } from "../support/programs.ts";

/** In `npm test` the first writer of each of these tools dies once, in one way or the other. */
const ENOUGH = new Set(["git_commit", "git_restore", "git_undo", "git_merge", "git_stash", "git_clone"]);
const ROUNDS = inSoak(12, 1);
const KILLED = inSoak(
  WRITERS,
  WRITERS.filter(
    ({ tool }, index) => ENOUGH.has(tool) && WRITERS.findIndex((one) => one.tool === tool) === index,
  ),
);
const KILLS: readonly (readonly [tool: string, at: string, moment: Moment, writer: KilledWriter])[] =
  KILLED.flatMap((writer, index) =>
    Array.from({ length: ROUNDS }, (_, round) => {
      const moment = MOMENTS[(index + round) % (ROUNDS > 1 ? 3 : 2)] ?? "after";
      return [writer.tool, writer.at, moment, writer] as const;
    }),
  );

/** A server looks through 200 repositories at most, and a kill has up to three. */
const KILLS_PER_SERVER = 50;

const ALLOWED = ["--all-tools", "--allow-network", "--trust-repository", "--allow-dir"];

interface Operation {
  readonly id: string;
  readonly tool: string;
  readonly interrupted?: true;
  readonly undoable?: false;
}

const findLeft = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".lock") || name.endsWith("suite/writing.json"));

/** Where there is something to take back, it is made first. */
async function prepare({ tool, setting }: KilledWriter, place: string): Promise<void> {
  if (tool !== "git_undo") return;
  const wire = await openGit([...ALLOWED, place]);
  const at = { repo_path: "repo" };
  if (setting === "clean") await resultOf(wire, "git_checkout", { ...at, branch_name: "easy" });
  else await resultOf(wire, "git_commit", { ...at, message: "to be taken back", files: ["."] });
  await wire.end();
}

async function toArguments(
  wire: Wire,
  { args, setting }: KilledWriter,
  { place, hub }: RepositoryStage,
): Promise<Fields> {
  const repo = setting === "none" ? {} : { repo_path: "repo" };
  const { ids } = args;
  if (ids !== undefined) {
    const listed = { ...repo, staged: ids === "staged" };
    const { hunks } = await resultOf<{ hunks: { id: string }[] }>(wire, "git_list_hunks", listed);
    return { ...repo, ids: hunks.map(({ id }) => id) };
  }
  const text = JSON.stringify({ ...repo, ...args })
    .replaceAll("PLACE", place)
    .replaceAll("HUB", hub?.root ?? "");
  return JSON.parse(text) as Fields;
}

/** The server dies in the middle of the call, in a run of git that is known. */
async function kill(writer: KilledWriter, moment: Moment, stage: RepositoryStage): Promise<string> {
  const PATH = `${createKiller(writer.at, moment)}${delimiter}${process.env["PATH"] ?? ""}`;
  const wire = await openGit([...ALLOWED, stage.place], { env: { PATH } });
  const answered = callTool(wire, writer.tool, await toArguments(wire, writer, stage)).then(
    (answer) => JSON.stringify(answer),
    () => "no answer",
  );
  const answer = await Promise.race([answered, wire.exited.then(() => "no answer")]);
  await until(() => !isAtWork(stage), "what git had begun to end");
  return answer;
}

/** A lock of a git that still runs is nobody's to remove. */
function isAtWork({ plain }: RepositoryStage): boolean {
  const mark = join(plain?.root ?? "", ".git/suite/writing.json");
  if (!plain || !existsSync(mark)) return false;
  const pids = readFileSync(mark, "utf8").matchAll(/(?<=\n\{"pid":)\d+/g);
  return Array.from(pids, String).some((pid) => isRunning(-Number(pid)));
}

interface Killed {
  readonly writer: KilledWriter;
  readonly moment: Moment;
  readonly stage: RepositoryStage;
  readonly before: string;
  /** Files that git does not know, with what is in them. */
  readonly untracked: ReadonlyMap<string, string>;
}

function readUntracked({ plain }: RepositoryStage): ReadonlyMap<string, string> {
  const names = plain?.git("ls-files", "--others", "-z").split("\0").filter(Boolean) ?? [];
  return new Map(names.map((name) => [name, readFileSync(join(plain?.root ?? "", name), "utf8")]));
}

/** No backup has them: they are where they were, or in the stash. */
function bringBackUntracked(plain: Plain, untracked: ReadonlyMap<string, string>): void {
  for (const [name, content] of untracked) {
    const path = join(plain.root, name);
    if (!existsSync(path)) plain.write(name, plain.bytes("show", `stash^3:${name}`));
    expect(readFileSync(path, "utf8")).toBe(content);
  }
}

/** What the next server finds: nothing in its way, and a way back. */
async function check(wire: Wire, { writer, moment, stage, before, untracked }: Killed): Promise<void> {
  const { hub, plain } = stage;
  const repositories = [hub, plain].filter((repository) => repository !== undefined);
  for (const repository of repositories) expect(repository.git("fsck", "--no-dangling", "--strict")).toBe("");
  if (!plain) return;
  const at = { repo_path: plain.root };
  const { changes } = await resultOf<{ changes: Operation[] }>(wire, "git_undo", at);
  const interrupted = changes.filter((operation) => operation.interrupted);
  // A git that was to be killed may have come to its end before.
  const mayKeep = writer.keeps.includes(moment) ? [true] : moment === "during" ? [true, false] : [false];
  const expected = mayKeep.map((keeps) => (keeps ? [writer.tool] : []));
  expect(expected).toContainEqual(interrupted.map(({ tool }) => tool));
  // Of a git that was killed itself nobody knows what it left behind.
  const undone = moment === "during" ? [] : interrupted.filter(({ undoable }) => undoable !== false);
  for (const { id } of undone) await resultOf(wire, "git_undo", { ...at, id, force: true });
  bringBackUntracked(plain, untracked);
  if (undone.length > 0) expect(stateOf(plain)).toBe(before);
  plain.write("after.txt", "after\n");
  await resultOf(wire, "git_add", { ...at, files: ["after.txt"] });
  await resultOf(wire, "git_tag", { ...at, name: "after" });
}

/** What one next server does not find as it should be. */
async function checkAll(folder: string, killed: readonly Killed[]): Promise<readonly string[]> {
  const wire = await openGit([...ALLOWED, folder]);
  await resultOf(wire, "git_list_repositories");
  await expect.poll(() => findLeft(folder)).toEqual([]);
  const problems: string[] = [];
  for (const one of killed) {
    await check(wire, one).catch((thrown: unknown) => {
      problems.push(`${one.writer.tool} ${one.writer.at} ${one.moment}: ${String(thrown)}`);
    });
  }
  return problems;
}

describeOnUnix("a server that is killed in the middle of a write", () => {
  const root = createPlace();
  const folderOf = (index: number): string => join(root, String(Math.floor(index / KILLS_PER_SERVER)));
  const killed: Killed[] = [];

  it.each(KILLS)("dies in %s (%s, %s)", async (_tool, _at, moment, writer) => {
    const place = join(folderOf(killed.length), String(killed.length));
    const stage = createStage(writer, place);
    await prepare(writer, place);
    const before = stage.plain ? stateOf(stage.plain) : "";
    const untracked = readUntracked(stage);
    expect(await kill(writer, moment, stage)).toBe("no answer");
    killed.push({ writer, moment, stage, before, untracked });
  });

  it(
    "leaves sound repositories, and nothing that stops the next one",
    { timeout: KILLS.length * PATIENCE_MS },
    async () => {
      expect(killed).toHaveLength(KILLS.length);
      const problems: string[] = [];
      for (let first = 0; first < killed.length; first += KILLS_PER_SERVER) {
        const some = killed.slice(first, first + KILLS_PER_SERVER);
        problems.push(...(await checkAll(folderOf(first), some)));
      }
      expect(problems).toEqual([]);
    },
  );

  it("has its own locks removed, and those of others left", async () => {
    const plain = createHistory();
    const suite = join(plain.root, ".git", "suite");
    mkdirSync(suite, { recursive: true });
    const lock = join(plain.root, ".git", "index.lock");
    writeFileSync(lock, "");
    const wire = await openGit([plain.root]);
    plain.write("a.txt", "changed\n");
    const refused = await failureOf(wire, "git_add", { files: ["a.txt"] });
    expect(refused).toMatchObject({ code: "unavailable", retryAfterMs: 1000 });
    expect(existsSync(lock)).toBe(true);
    // As a killed server leaves it: nobody has this number.
    const { mtimeMs: started } = statSync(lock);
    writeFileSync(join(suite, "writing.json"), `${JSON.stringify({ pid: 2 ** 22 + 1, started })}\n`);
    await resultOf(wire, "git_add", { files: ["a.txt"] });
    expect(existsSync(lock)).toBe(false);
    expect(existsSync(join(suite, "writing.json"))).toBe(false);
  });

  it("has a lock left that a person's commit holds", async () => {
    const plain = createHistory();
    const suite = join(plain.root, ".git", "suite");
    mkdirSync(suite, { recursive: true });
    const mark = `${JSON.stringify({ pid: 2 ** 22 + 1, started: Date.now() })}\n`;
    const commit = startCommit(plain);
    await until(commit.hasLock, "the commit to wait for its message");
    writeFileSync(join(suite, "writing.json"), mark);
    const wire = await openGit(["--all-tools", plain.root]);
    await resultOf(wire, "git_tag", { name: "meanwhile" });
    expect(commit.hasLock()).toBe(true);
    expect(await commit.end()).toBe(0);
  });

  it("can be taken back by force, since nobody knows what it did", async () => {
    const plain = createHistory();
    const wire = await openGit([plain.root]);
    plain.write("a.txt", "precious\n");
    const { undo: id } = await resultOf(wire, "git_reset", { mode: "hard", target: "v1" });
    // The list as it was before the change had ended.
    const ref = `refs/suite/undo/${String(id)}`;
    const entry = JSON.parse(plain.git("cat-file", "blob", `${ref}:entry.json`)) as Fields;
    delete entry["after"];
    const file = join(plain.root, ".git", "entry.json");
    writeFileSync(file, JSON.stringify(entry));
    const blob = plain.git("hash-object", "-w", file);
    plain.git("update-index", "--add", "--cacheinfo", `100644,${blob},entry.json`);
    const tree = plain.git("write-tree");
    plain.git("update-ref", ref, plain.git("commit-tree", tree, "-m", "interrupted"));
    plain.git("reset", "-q");
    expect(await failureOf(wire, "git_undo", { id })).toMatchObject({ code: "conflict" });
    await resultOf(wire, "git_undo", { id, force: true });
    expect(plain.git("diff", "--stat", "HEAD", "--", "a.txt")).toContain("a.txt");
    expect(plain.git("log", "-1", "--format=%s")).toBe("odd files");
  });
});
