import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { callTool, type Fields } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { failureOf, openGit, Plain, resultOf } from "../git/program.ts";
import { oncePerFile } from "../support/afterwards.ts";
import { createPlace } from "../support/place.ts";
import { createOutside, SECRET } from "./outside.ts";

/** What a repository can contain so that git would go elsewhere. */
const ESCAPES: { readonly [name: string]: (inside: string, outside: Plain) => void } = {
  "a .git file": (inside, outside) => {
    mkdirSync(inside);
    writeFileSync(join(inside, ".git"), `gitdir: ${outside.root}/.git\n`);
  },
  "a .git file with a relative path": (inside) => {
    mkdirSync(inside);
    writeFileSync(join(inside, ".git"), "gitdir: ../outside/.git\n");
  },
  "a .git link": (inside, outside) => {
    mkdirSync(inside);
    symlinkSync(join(outside.root, ".git"), join(inside, ".git"));
  },
  commondir: (inside, outside) => {
    const plain = Plain.init(inside);
    plain.commit("x", { "a.txt": "a\n" });
    writeFileSync(join(inside, ".git", "commondir"), `${outside.root}/.git\n`);
  },
  "core.worktree": (inside, outside) => {
    Plain.init(inside).git("config", "core.worktree", outside.root);
  },
  "core.worktree of config.worktree": (inside, outside) => {
    const plain = Plain.init(inside);
    plain.git("config", "extensions.worktreeConfig", "true");
    writeFileSync(join(inside, ".git", "config.worktree"), `[core]\n\tworktree = ${outside.root}\n`);
  },
  alternates: (inside, outside) => {
    Plain.init(inside);
    writeFileSync(join(inside, ".git/objects/info/alternates"), `${outside.root}/.git/objects\n`);
  },
  "an objects link": (inside, outside) => {
    const plain = Plain.init(inside);
    plain.git("config", "x.y", "z");
    symlinkSync(join(outside.root, ".git/refs"), join(inside, ".git/outside-refs"));
  },
  "include.path": (inside, outside) => {
    Plain.init(inside).git("config", "include.path", join(outside.root, "secret.txt"));
  },
  includeIf: (inside, outside) => {
    Plain.init(inside).git("config", `includeIf.gitdir:${inside}/.path`, join(outside.root, "secret.txt"));
  },
  "an attributes link": (inside, outside) => {
    Plain.init(inside);
    symlinkSync(join(outside.root, "secret.txt"), join(inside, ".git/info/attributes"));
  },
  "a log that is a link": (inside, outside) => {
    Plain.init(inside).commit("x", { "a.txt": "a\n" });
    const log = join(inside, ".git/logs/HEAD");
    rmSync(log);
    symlinkSync(join(outside.root, "secret.txt"), log);
  },
  "a folder of refs that is a link": (inside, outside) => {
    Plain.init(inside).commit("x", { "a.txt": "a\n" });
    symlinkSync(join(outside.root, ".git/refs/heads"), join(inside, ".git/refs/suite"));
  },
  "an object that is a link": (inside, outside) => {
    Plain.init(inside).commit("x", { "a.txt": "a\n" });
    const oid = outside.git("rev-parse", "HEAD");
    const name = join(oid.slice(0, 2), oid.slice(2));
    mkdirSync(join(inside, ".git/objects", oid.slice(0, 2)), { recursive: true });
    symlinkSync(join(outside.root, ".git/objects", name), join(inside, ".git/objects", name));
  },
  "the state of an operation that is a link": (inside, outside) => {
    Plain.init(inside).commit("x", { "a.txt": "a\n" });
    mkdirSync(join(inside, ".git/rebase-merge"));
    symlinkSync(join(outside.root, "secret.txt"), join(inside, ".git/rebase-merge/message"));
  },
  "a configuration that is no text": (inside) => {
    Plain.init(inside).commit("x", { "a.txt": "a\n" });
    const filter = Buffer.from('[filter "x\u00FFy"]\n\tclean = cat\n', "latin1");
    appendFileSync(join(inside, ".git/config"), filter);
  },
  "an index that names a file outside": (inside, outside) => {
    const plain = Plain.init(inside);
    plain.commit("x", { "12/outside/secret.txt": "a\n" });
    const index = join(inside, ".git/index");
    const names = readFileSync(index, "latin1").replace("12/outside", "../outside");
    writeFileSync(index, Buffer.from(names, "latin1"));
    expect(plain.git("diff")).toContain(outside.git("show", "HEAD:secret.txt"));
  },
  "an index of a git directory that is not bare by its own account": (inside, outside) => {
    const plain = Plain.init(`${inside}-work`);
    plain.commit("x", { "12/outside/secret.txt": "a\n" });
    renameSync(join(plain.root, ".git"), inside);
    const names = readFileSync(join(inside, "index"), "latin1").replace("12/outside", "../outside");
    writeFileSync(join(inside, "index"), Buffer.from(names, "latin1"));
    const diff = new Plain(inside).git("--git-dir=.", "diff");
    expect(diff).toContain(outside.git("show", "HEAD:secret.txt"));
  },
  "a broken configuration": (inside) => {
    Plain.init(inside);
    writeFileSync(join(inside, ".git/config"), "[core\n\tfsmonitor = x\n");
  },
};

const toInside = (outside: Plain): string => join(outside.root, "../inside");

/** A repository outside for each of them, and a server that may use what leads there, and a sound repository. */
const sharedEscapes = oncePerFile(async () => {
  const outsides = Object.values(ESCAPES).map((escape) => {
    const outside = createOutside(createPlace());
    escape(toInside(outside), outside);
    return outside;
  });
  const sound = Plain.init();
  const wire = await openGit(["--all-tools", sound.root, ...outsides.map(toInside)], { keepForFile: true });
  return { outsides, sound, wire };
});

describe("a repository that leads out", () => {
  it.each(Object.keys(ESCAPES).map((name, at) => [name, at] as const))("by %s is refused", async (_, at) => {
    const { outsides, sound, wire } = await sharedEscapes();
    const outside = outsides[at] as Plain;
    const repo = { repo_path: toInside(outside) };
    for (const tool of ["git_status", "git_log", "git_diff_unstaged", "git_branch"]) {
      const { result } = await callTool(wire, tool, repo);
      expect(result, tool).toMatchObject({ isError: true });
      expect(JSON.stringify(result)).not.toContain(SECRET);
    }
    for (const files of [["."], ["secret.txt"]]) await failureOf(wire, "git_add", { ...repo, files });
    await callTool(wire, "git_restore", { ...repo, files: ["."] });
    expect(outside.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
    expect(outside.git("status", "--porcelain")).toBe("");
    // It is refused for itself.
    await resultOf(wire, "git_status", { repo_path: sound.root });
  });
});

/** Links deep in a git directory, and the call that git would follow them for. */
const LINKED: { readonly [name: string]: (git: string, outside: Plain) => readonly [string, Fields] } = {
  "a log": (git, outside) => {
    rmSync(join(git, "logs/refs/heads/main"));
    symlinkSync(join(outside.root, "secret.txt"), join(git, "logs/refs/heads/main"));
    return ["git_commit", { message: "theirs", allow_empty: true }];
  },
  packs: (git, outside) => {
    outside.git("gc", "-q");
    const packs = join(outside.root, ".git/objects/pack");
    for (const name of readdirSync(packs)) symlinkSync(join(packs, name), join(git, "objects/pack", name));
    return ["git_read_file", { path: "secret.txt", revision: outside.git("rev-parse", "HEAD") }];
  },
};

it.each(Object.keys(LINKED))(
  "what takes a repository's place is searched for links again: %s",
  async (name) => {
    const place = createPlace();
    const outside = createOutside(place);
    const [inside, other] = ["inside", "other"].map((at) => Plain.init(join(place, at)));
    for (const plain of [inside, other]) plain?.commit("x", { "a.txt": "a\n" });
    const git = join(place, "inside/.git");
    const wire = await openGit(["--all-tools", join(place, "inside")]);
    // Later than anything that was made: from here on it is known.
    await sleep(100);
    for (const tool of ["git_status", "git_log"]) await resultOf(wire, tool);
    const linked = LINKED[name]?.(join(place, "other/.git"), outside) ?? ["", {}];
    for (const [from, to] of [
      [git, join(place, "first")],
      [join(place, "other/.git"), git],
    ] as const)
      renameSync(from, to);
    const refused = await failureOf(wire, ...linked);
    expect(refused).toMatchObject({ code: "permission_denied" });
    expect(refused.text).toContain("leads out of the directories");
    expect(readFileSync(join(outside.root, "secret.txt"), "utf8")).toBe(`${SECRET}\n`);
    // Also where only what is deep inside was replaced.
    renameSync(git, join(place, "second"));
    renameSync(join(place, "first"), git);
    await resultOf(wire, "git_status");
    const [tool, args] = LINKED[name]?.(git, outside) ?? ["", {}];
    expect(await failureOf(wire, tool, args)).toMatchObject({ code: "permission_denied" });
  },
);

it("no comparison is one of files that are outside", async () => {
  const place = createPlace();
  const outside = createOutside(place);
  const inside = Plain.init(join(place, "inside"));
  inside.commit("x", { "--": "padding\n".repeat(9000) });
  const wire = await openGit(["--all-tools", inside.root]);
  const target = join(outside.root, "secret.txt");
  const diff = await failureOf(wire, "git_diff", { target });
  expect(diff).toMatchObject({ code: "not_found" });
  expect(diff.text).not.toContain(SECRET);
  // A file of a commit would be compared with one of the disk.
  symlinkSync(outside.root, join(inside.root, "link"));
  const behind = { target: "HEAD:--", paths: ["link/secret.txt"] };
  expect(await failureOf(wire, "git_diff", behind)).toMatchObject({ code: "invalid_input" });
  const uri = `git://inside/diff/${encodeURIComponent(target)}`;
  expect((await wire.request("resources/read", { uri })).error).toBeDefined();
  // What git does not understand is no repository to it.
  inside.git("config", "core.repositoryFormatVersion", "99");
  rmSync(join(inside.root, ".git/index"));
  symlinkSync(outside.root, join(inside.root, ":(top,literal)d"));
  inside.write(":(top,literal)e", "padding\n".repeat(9000));
  await failureOf(wire, "git_diff_unstaged", { paths: ["d/secret.txt", "e"] });
});

it("half of a repository is not completed where it leads", async () => {
  const place = createPlace();
  const outside = createOutside(place);
  const inside = Plain.init(join(place, "inside"));
  const config = join(outside.root, "secret.txt");
  const wire = await openGit(["--all-tools", inside.root]);
  for (const [path, bare] of [
    ["half/.git", false],
    ["half.git", true],
  ] as const) {
    mkdirSync(join(inside.root, path), { recursive: true });
    symlinkSync(config, join(inside.root, path, "config"));
    const asked = { path: path.replace("/.git", ""), bare };
    expect(await failureOf(wire, "git_init", asked)).toMatchObject({ code: "conflict" });
  }
  expect(readFileSync(config, "utf8")).toBe(`${SECRET}\n`);
});

it("a directory that has become a link leads nowhere", async () => {
  const place = createPlace();
  const outside = createOutside(place);
  const inside = Plain.init(join(place, "inside"));
  inside.commit("x", { "d/e/secret.txt": "mine\n", "a.txt": "a\n" });
  rmSync(join(inside.root, "d"), { recursive: true });
  mkdirSync(join(outside.root, "e"));
  writeFileSync(join(outside.root, "e/secret.txt"), SECRET);
  symlinkSync(outside.root, join(inside.root, "d"));
  const wire = await openGit(["--all-tools", inside.root]);
  for (const args of [{ pattern: "." }, { pattern: ".", untracked: true }]) {
    const { matches } = await resultOf<{ matches: { path: string }[] }>(wire, "git_grep", args);
    expect(matches.map(({ path }) => path)).toEqual(["a.txt"]);
  }
  for (const more of [{}, { revision: "^HEAD" }]) {
    const { code } = await failureOf(wire, "git_blame", { path: "d/e/secret.txt", ...more });
    expect(code).toBe("permission_denied");
  }
  await resultOf(wire, "git_blame", { path: "d/e/secret.txt", revision: "HEAD" });
  // What is behind it counts as gone.
  await resultOf(wire, "git_create_branch", { branch_name: "topic", checkout: true });
  await resultOf(wire, "git_add", { files: ["d/e/secret.txt"] });
  expect(inside.git("status", "--porcelain").split("\n")).toEqual(["D  d/e/secret.txt", "?? d"]);
  await resultOf(wire, "git_commit", { message: "a link now", files: ["."] });
  expect(inside.git("ls-files")).toBe("a.txt\nd");
});

it("a git directory has no work tree, whatever its configuration says", async () => {
  const place = createPlace();
  const plain = Plain.init(join(place, "work"));
  plain.commit("x", { "a.txt": "a\n" });
  renameSync(join(plain.root, ".git"), join(place, "alone"));
  // Git would take it for a file of the work tree.
  writeFileSync(join(place, "alone", "a.txt"), "changed\n");
  const wire = await openGit(["--all-tools", join(place, "alone")]);
  for (const [tool, args] of [
    ["git_status", {}],
    ["git_diff_unstaged", {}],
    ["git_restore", { files: ["."] }],
    ["git_stash", { action: "push" }],
  ] as const)
    expect(await failureOf(wire, tool, args), tool).toMatchObject({ code: "unsupported" });
  expect(readFileSync(join(place, "alone", "a.txt"), "utf8")).toBe("changed\n");
  expect(await resultOf(wire, "git_read_file", { path: "a.txt", revision: "HEAD" })).toMatchObject({
    text: "a",
  });
});

it("a line end in a name hides no link, and blame of no commit no file", async () => {
  const place = createPlace();
  const outside = createOutside(place);
  const inside = Plain.init(join(place, "inside"));
  inside.commit("x", {
    "link\nx/secret.txt": "in\n",
    "--\n--\nd/secret.txt": "in\n",
    "a\nb": "mine\n",
    "a.txt": "mine\n",
  });
  for (const name of ["link\nx", "--\n--\nd"]) {
    rmSync(join(inside.root, name), { recursive: true });
    symlinkSync(outside.root, join(inside.root, name));
  }
  const wire = await openGit(["--all-tools", inside.root]);
  for (const args of [{}, { context: 1 }, { revision: "HEAD", pattern: "mine" }]) {
    const { matches } = await resultOf<{ matches: { path: string }[] }>(wire, "git_grep", {
      pattern: ".",
      ...args,
    });
    expect(matches.map(({ path }) => path)).toEqual(
      ["a\nb", "a.txt"].map((name) => name.replace("\n", "\\u{A}")),
    );
  }
  for (const revision of [undefined, "HEAD^@"]) {
    const { code } = await failureOf(wire, "git_blame", { path: "link\nx/secret.txt", revision });
    expect(code).toBe("permission_denied");
  }
});

it("a directory that has become a file is in nobody's way", async () => {
  const inside = Plain.init(join(createPlace(), "inside"));
  inside.commit("x", { "d/e/f.txt": "mine\n", "a.txt": "a\n" });
  rmSync(join(inside.root, "d"), { recursive: true });
  inside.write("d", "a file now\n");
  const wire = await openGit(["--all-tools", inside.root]);
  await resultOf(wire, "git_create_branch", { branch_name: "topic", checkout: true });
  await resultOf(wire, "git_commit", { message: "a file now", files: ["."] });
  expect(inside.git("ls-files")).toBe("a.txt\nd");
});

it("a tree that names what is outside tells nothing of it", async () => {
  const place = createPlace();
  createOutside(place);
  const inside = Plain.init(join(place, "inside"));
  inside.commit("x", { "a.txt": "a\n" });
  const put = (name: string, mode: string, oid: string): string => {
    const tree = Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, "hex")]);
    writeFileSync(join(place, "tree"), tree);
    return inside.git("hash-object", "-t", "tree", "-w", "--literally", join(place, "tree"));
  };
  const outside = put("outside", "100644", inside.git("rev-parse", "HEAD:a.txt"));
  const evil = inside.git("commit-tree", "-m", "evil", "-p", "HEAD", put("..", "40000", outside));
  inside.git("branch", "evil", evil);
  const wire = await openGit(["--all-tools", inside.root]);
  for (const [tool, args] of [
    ["git_merge", { target: "evil" }],
    ["git_cherry_pick", { revisions: ["evil"] }],
    ["git_checkout", { branch_name: "evil" }],
  ] as const) {
    const { text } = await failureOf(wire, tool, { ...args, dry_run: true });
    expect(text).toContain("names files that are not in the work tree");
  }
});
