import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Fields } from "@suite/check/wires";

import { homeOfTests, Plain } from "../git/program.ts";
import { oncePerFile } from "../support/afterwards.ts";
import { createPlace } from "../support/place.ts";
import { pathOf } from "../support/programs.ts";

/** What a repository is like when the writer is called. */
export type RepositoryState = "clean" | "dirty" | "stopped" | "resolved" | "stashed" | "linked" | "none";

/** `before`: git does nothing any more. `during`: it is killed, too, as soon as it holds a lock. `after`: it goes on to its end. */
export type Moment = "before" | "during" | "after";
export const MOMENTS: readonly Moment[] = ["during", "after", "before"];

export interface KilledWriter {
  readonly tool: string;
  readonly args: Fields;
  readonly setting: RepositoryState;
  /** The run of git in which it is killed, as a pattern for its arguments. */
  readonly at: string;
  /** In which moments of that run the next server must list it, be it to undo it. */
  readonly keeps: readonly Moment[];
}

const row = (
  tool: string,
  args: Fields,
  setting: RepositoryState,
  at: string,
  keeps: readonly Moment[] = MOMENTS,
): KilledWriter => ({ tool, args, setting, at, keeps });

const LOST: readonly Moment[] = [];

/** Every writer, in the run of git that changes something; those with several such runs more than once. */
export const WRITERS: readonly KilledWriter[] = [
  row("git_add", { files: ["."] }, "dirty", "* update-index --add*"),
  row("git_stage_hunks", { ids: "unstaged" }, "dirty", "* apply --cached * -"),
  row("git_unstage_hunks", { ids: "staged" }, "dirty", "* apply --cached * --reverse -"),
  row("git_commit", { message: "x", files: ["."] }, "dirty", "* commit --quiet*"),
  row("git_commit", { message: "x", files: ["."] }, "dirty", "* fast-import*", ["after"]),
  row("git_reset", { mode: "hard", target: "base" }, "dirty", "* reset --quiet --hard*"),
  row("git_reset", { files: ["a.txt"] }, "dirty", "* reset --quiet --pathspec*"),
  row("git_restore", { files: ["."], source: "easy", staged: true, worktree: true }, "dirty", "* restore *"),
  row("git_create_branch", { branch_name: "made", checkout: true }, "dirty", "* switch *--create*"),
  row("git_checkout", { branch_name: "easy" }, "clean", "* switch *"),
  row("git_undo", { id: "last" }, "dirty", "* update-ref -m git_undo*"),
  row("git_undo", { id: "last" }, "clean", "* read-tree --reset -u*"),
  row("git_merge", { target: "easy" }, "clean", "* merge --quiet*"),
  row("git_merge", { target: "topic" }, "clean", "* merge --quiet*"),
  row("git_rebase", { target: "easy" }, "clean", "* rebase --quiet*"),
  row("git_cherry_pick", { revisions: ["easy"] }, "clean", "* cherry-pick *"),
  row("git_revert", { revisions: ["HEAD"] }, "clean", "* revert *"),
  row("git_delete_branch", { branch_name: "topic", force: true }, "clean", "* branch --quiet -D*"),
  row("git_stash", { action: "push" }, "dirty", "* stash push*"),
  row("git_stash", { action: "push", include_untracked: true }, "dirty", "* stash push*--include-untracked*"),
  row("git_stash", { action: "apply" }, "stashed", "* stash apply*"),
  row("git_stash", { action: "pop" }, "stashed", "* stash pop*"),
  row("git_stash", { action: "drop" }, "stashed", "* stash drop*"),
  row("git_tag", { name: "v9", message: "nine" }, "clean", "* tag --annotate*"),
  row("git_tag", { name: "v1", action: "delete" }, "clean", "* tag --delete*"),
  row("git_worktree", { action: "add", path: "PLACE/tree", branch: "easy" }, "clean", "* worktree add*"),
  row("git_worktree", { action: "remove", path: "PLACE/linked" }, "linked", "* worktree remove*"),
  row("git_resolve_conflict", { path: "a.txt", use: "theirs" }, "stopped", "* checkout-index --force*"),
  row("git_continue_or_abort", { action: "continue" }, "resolved", "* merge --continue"),
  row("git_continue_or_abort", { action: "abort" }, "stopped", "* merge --abort"),
  row("git_init", { path: "PLACE/made" }, "none", "* init *", LOST),
  row("git_clone", { url: "HUB", path: "PLACE/made" }, "none", "* clone *", LOST),
  row("git_fetch", {}, "clean", "* fetch *"),
  row("git_pull", {}, "clean", "* fetch *", LOST),
  row("git_pull", {}, "clean", "* merge --quiet*"),
  row("git_push", { branch: "easy" }, "clean", "* push *"),
];

/** Enough to do that a kill comes in the middle. */
const BUSY = 40;

/** Two branches that change the same line, one that does not, and a remote that has more. */
function createBase(place: string): { readonly plain: Plain; readonly hub: string } {
  const hub = join(place, "hub.git");
  const plain = Plain.init(join(place, "base"));
  const busy = (mark: string): { [path: string]: string } =>
    Object.fromEntries(
      Array.from({ length: BUSY }, (_, at) => [`busy/${at}.txt`, `${mark} ${at}\n`.repeat(50)]),
    );
  plain.commit("base", { "a.txt": "one\ntwo\nthree\n", "b.txt": "b\n", ...busy("base") });
  plain.git("tag", "base");
  plain.git("tag", "v1");
  plain.git("switch", "-qc", "topic");
  plain.commit("topic", { "a.txt": "one\nZWEI\nthree\n" });
  plain.git("switch", "-qc", "easy", "base");
  plain.commit("easy", busy("easy"));
  plain.git("switch", "-q", "main");
  plain.commit("mine", { "a.txt": "one\nDEUX\nthree\n" });
  plain.git("clone", "-q", "--bare", plain.root, hub);
  plain.git("switch", "-qc", "ahead");
  plain.commit("ahead", busy("ahead"));
  plain.git("push", "-q", hub, "ahead:main");
  plain.git("switch", "-q", "main");
  plain.git("branch", "-qD", "ahead");
  plain.git("remote", "add", "origin", hub);
  plain.git("fetch", "-q");
  plain.git("update-ref", "refs/remotes/origin/main", "main");
  plain.git("branch", "-q", "-u", "origin/main");
  // It is copied for each kill, and removed.
  plain.git("gc", "-q");
  return { plain, hub };
}

const sharedBase = oncePerFile(() => createBase(createPlace()));

export interface RepositoryStage {
  /** What the server may use. */
  readonly place: string;
  readonly hub: Plain | undefined;
  readonly plain: Plain | undefined;
}

/** Those that talk to another repository. */
const REMOTE = new Set(["git_clone", "git_fetch", "git_pull", "git_push"]);

/** Repositories of its own for each kill. */
export function createStage({ tool, setting }: KilledWriter, place: string): RepositoryStage {
  const base = sharedBase();
  mkdirSync(place, { recursive: true });
  const hub = REMOTE.has(tool) ? copyRepository(base.hub, join(place, "hub.git")) : undefined;
  if (setting === "none") return { place, hub, plain: undefined };
  const plain = copyRepository(base.plain.root, join(place, "repo"));
  if (hub) plain.git("remote", "set-url", "origin", hub.root);
  if (setting === "linked") plain.git("worktree", "add", "-q", join(place, "linked"), "easy");
  if (setting === "dirty" || setting === "stashed") {
    for (let at = 0; at < BUSY; at += 1) plain.write(`busy/${at}.txt`, `changed ${at}\n`.repeat(50));
    plain.write("a.txt", "one\nDEUX\nthree\nfour\n");
    plain.git("add", "a.txt");
    plain.write("new.txt", "new\n");
  }
  if (setting === "stashed") plain.git("stash", "push", "-q");
  // A merge that stops ends with 1.
  if (setting === "stopped" || setting === "resolved")
    spawnSync("git", ["merge", "-q", "topic"], {
      cwd: plain.root,
      env: { ...process.env, HOME: homeOfTests() },
    });
  if (setting === "resolved") plain.git("checkout", "-q", "--theirs", "a.txt");
  if (setting === "resolved") plain.git("add", "a.txt");
  return { place, hub, plain };
}

function copyRepository(from: string, to: string): Plain {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  return new Plain(to);
}

/** A git for the server's PATH that kills the server in this run. */
export function createKiller(at: string, moment: Moment): string {
  const bin = createPlace();
  const real = pathOf("git");
  const deaths: { readonly [Name in Moment]: readonly string[] } = {
    before: ["kill -9 $PPID"],
    during: [
      "exec 3<&0",
      `'${real}' "$@" <&3 &`,
      "child=$!",
      "while kill -0 $child 2>/dev/null && sleep 0.001; do",
      '  for lock in "$GIT_DIR"/*.lock "$GIT_DIR"/refs/*/*.lock "$GIT_DIR"/objects/*/tmp_*; do',
      '    [ -e "$lock" ] && kill -9 $child && break 2',
      "  done",
      "done",
      "kill -9 $PPID",
    ],
    after: [`'${real}' "$@" >/dev/null 2>&1`, "kill -9 $PPID"],
  };
  const quoted = at.replaceAll(/[^*]+/g, (text) => `'${text}'`);
  const lines = [
    "#!/bin/sh",
    `case "$*" in *' --check '*) exec '${real}' "$@";; ${quoted}) ;; *) exec '${real}' "$@";; esac`,
  ];
  writeFileSync(join(bin, "git"), `${[...lines, ...deaths[moment]].join("\n")}\n`, { mode: 0o755 });
  return bin;
}
