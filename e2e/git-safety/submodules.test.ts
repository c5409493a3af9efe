import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { callTool, type Fields } from "@suite/check/wires";
import { expect, it } from "vitest";

import { failureOf, homeOfTests, openGit, Plain, resultOf } from "../git/program.ts";
import { errorOf } from "../support/calls.ts";
import { createPlace } from "../support/place.ts";
import { armSubmodule } from "./trap-repository.ts";

const MODULES = '[submodule "sub"]\n\tpath = sub\n\turl = ./x\n';
const INTO = "\tignore = none\n";
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/** A repository with a submodule whose configuration names programs, and nothing else that does. */
function createTrap(): { readonly plain: Plain; readonly traps: string; readonly fired: () => string[] } {
  const place = createPlace();
  const traps = join(place, "traps");
  mkdirSync(traps);
  const plain = Plain.init(join(place, "repo"));
  Plain.init(join(plain.root, "sub")).commit("inner", { "in.txt": "in\n" });
  plain.commit("first", { ".gitmodules": MODULES, "a.txt": "a\n", "b.txt": "b\n" });
  plain.git("switch", "-q", "-c", "side");
  plain.commit("side", { "c.txt": "c\n" });
  plain.git("switch", "-q", "main");
  plain.commit("main", { "d.txt": "d\n" });
  armSubmodule(plain, traps);
  return { plain, traps, fired: () => readdirSync(traps).filter((name) => !name.endsWith(".sh")) };
}

/** What it does when it fails does not matter here. */
const attempt = (plain: Plain, ...args: string[]): unknown =>
  spawnSync("git", args, { cwd: plain.root, env: { ...process.env, HOME: homeOfTests() } });

/** Where git can be asked to go into it. */
const PLACES: { readonly [where: string]: (plain: Plain) => void } = {
  ".gitmodules": (plain) => plain.write(".gitmodules", MODULES + INTO),
  ".gitmodules in the index": (plain) => {
    plain.write(".gitmodules", MODULES + INTO);
    plain.git("add", ".gitmodules");
    rmSync(join(plain.root, ".gitmodules"));
  },
  "nothing but itself": (plain) => {
    plain.git("rm", "-q", ".gitmodules");
    plain.git("commit", "-q", "-m", "no modules");
  },
  "what is staged of it": (plain) => {
    const id = new Plain(join(plain.root, "sub")).git("commit-tree", EMPTY_TREE, "-m", "empty");
    plain.git("update-index", "--cacheinfo", `160000,${id},sub`);
    plain.git("config", "diff.submodule", "diff");
  },
  "the configuration": (plain) => void plain.git("config", "submodule.sub.ignore", "none"),
};

/** What git goes into submodules for, with how it ends. */
const CALLS: readonly (readonly [tool: string, args: Fields, code?: string])[] = [
  ["git_status", {}],
  ["git_diff_unstaged", {}],
  ["git_diff_staged", {}],
  // Adding it takes back what was staged, so that there may be nothing to commit.
  ["git_commit", { message: "nothing", files: ["b.txt"] }, "precondition_failed"],
  ["git_stash", { action: "push" }],
];

it("no tool goes into a submodule, wherever git is asked to", async () => {
  const { plain, traps, fired } = createTrap();
  const wire = await openGit(["--all-tools", plain.root]);
  const start = plain.git("rev-parse", "HEAD");
  for (const [where, prepare] of Object.entries(PLACES)) {
    prepare(plain);
    plain.write("b.txt", "staged\n");
    plain.git("add", "b.txt");
    plain.write("b.txt", "b\n");
    plain.write("a.txt", "changed\n");
    for (const name of fired()) rmSync(join(traps, name));
    for (const [tool, args, code] of CALLS) {
      const response = await callTool(wire, tool, args);
      expect(fired(), `${tool} with ${where}`).toEqual([]);
      expect([undefined, code], tool).toContain(errorOf(response).code);
    }
    attempt(plain, "status");
    expect(fired(), where).toContain("submodule-filter.sub.clean");
    plain.git("reset", "-q", "--hard", start);
  }
});

it("no write goes into a submodule that it has itself brought", async () => {
  const { plain, fired } = createTrap();
  const start = plain.git("rev-parse", "HEAD");
  plain.write(".gitmodules", MODULES.replace('"sub"', '"new"') + INTO);
  const brings = plain.commit("brings", {});
  plain.git("reset", "-q", "--hard", start);
  for (const name of fired()) rmSync(join(plain.root, "..", "traps", name));
  const wire = await openGit(["--all-tools", plain.root]);
  // The second is there already: git tells so with a status.
  await failureOf(wire, "git_cherry_pick", { revisions: [brings, start] });
  expect(fired()).toEqual([]);
  // Going back shows what has changed.
  plain.git("branch", "brings", brings);
  plain.git("bisect", "start", "-q");
  writeFileSync(join(plain.root, ".git", "BISECT_START"), "brings\n");
  await resultOf(wire, "git_continue_or_abort", { action: "abort" });
  expect(plain.git("branch", "--show-current")).toBe("brings");
  expect(fired()).toEqual([]);
  // What are conflicts of a file becomes a submodule.
  const blob = plain.git("hash-object", "-w", "a.txt");
  const stages = [1, 2, 3].map((stage) => `100644 ${blob} ${stage}\tsub\n`);
  plain.git("rm", "-q", "--cached", "sub");
  execFileSync("git", ["update-index", "--index-info"], { cwd: plain.root, input: stages.join("") });
  // That is all, and HEAD has it already.
  expect((await failureOf(wire, "git_commit", { message: "again", files: ["sub"] })).text).toContain(
    "nothing",
  );
  expect(fired()).toEqual([]);
  plain.git("reset", "-q");
  // What nobody can say of the repository itself, nobody can say of this one.
  new Plain(join(plain.root, "sub")).git("config", "include.path", "x");
  const { code, text } = await failureOf(wire, "git_create_branch", { branch_name: "x" });
  expect(code).toBe("permission_denied");
  expect(text).toContain("sub");
});
