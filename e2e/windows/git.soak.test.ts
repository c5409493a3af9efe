import { existsSync, linkSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

import { isOf, listen } from "@suite/check/wires";
import { expect, it } from "vitest";

import { failureOf, Plain, resultOf } from "../git/program.ts";
import { createPlace } from "../support/place.ts";
import { inSoak } from "../support/soak.ts";
import type { Wire } from "../support/wire.ts";
import { commandOnWindows, describeOnWindows, driveC, openOnWindows, toWindowsPath } from "./windows.ts";

/** Programs that Windows would take out of the working directory, if they were started by their names. */
const PLANTED = [
  "git.exe",
  "git.com",
  "sh.exe",
  "ssh.exe",
  "taskkill.exe",
  "where.exe",
  "node.exe",
  "credential-manager.exe",
];
/** Parts of Path that lead there, before those that are meant. */
const PATH = String.raw`Path=.;;bin;..\..\bin;C:bin;C:\git\cmd;C:\windows\system32`;

const HOOKS = [
  "pre-commit",
  "commit-msg",
  "post-commit",
  "post-checkout",
  "post-merge",
  "reference-transaction",
];

/**
 * A repository that was checked out with Windows' line endings, with programs in its root and hooks that leave a mark. The
 * planted programs are node.exe, which fails with git's arguments: were one started, no call would work.
 */
function createTrap(): Plain {
  const plain = Plain.init(createPlace());
  for (const [name, value] of [
    ["user.name", "Tess"],
    ["user.email", "tess@example.org"],
    // As git sets it there.
    ["core.ignoreCase", "true"],
    ["core.fileMode", "false"],
  ] as const)
    plain.git("config", name, value);
  plain.commit("first", { "a.txt": "one\ntwo\nthree\n", "dir/b.txt": "b\n" });
  plain.git("switch", "-q", "-c", "other");
  plain.commit("theirs", { "a.txt": "one\ntheirs\nthree\n" });
  plain.git("switch", "-q", "-c", "clean", "main");
  plain.commit("clean", { "c.txt": "c\n" });
  plain.git("switch", "-q", "main");
  mkdirSync(join(plain.root, "bin"));
  for (const name of PLANTED.flatMap((planted) => [planted, join("bin", planted)]))
    linkSync(join(driveC, "node/node.exe"), join(plain.root, name));
  writeFileSync(join(plain.root, ".git/info/exclude"), "*.exe\n*.com\n");
  // A filter of the repository's own, which would run in a shell.
  writeFileSync(join(plain.root, ".git/info/attributes"), "*.f filter=own\n");
  for (const way of ["clean", "smudge"]) plain.git("config", `filter.own.${way}`, "echo ran >> hooked.txt");
  for (const hook of HOOKS)
    writeFileSync(join(plain.root, ".git/hooks", hook), "#!/bin/sh\necho ran >> hooked.txt\n", {
      mode: 0o755,
    });
  plain.write("a.txt", "one\r\nzwei\r\nthree\r\n");
  return plain;
}

/** It is started in the repository: Windows looks there first. */
const openTrap = ({ root }: Plain): Promise<Wire> =>
  openOnWindows([
    ...commandOnWindows("git", ["--cwd", toWindowsPath(root), "--env", PATH]),
    "--all-tools",
    "--allow-network",
    root,
  ]);

describeOnWindows("the git server on Windows", () => {
  it("commits one line of a file with Windows' line endings, and runs nothing out of the repository", async () => {
    const plain = createTrap();
    const wire = await openTrap(plain);
    const before = readdirSync(plain.root).toSorted();
    await resultOf(wire, "git_commit", { message: "edit", files: ["a.txt"] });
    expect(plain.git("diff", "--numstat", "HEAD~1", "HEAD")).toBe("1\t1\ta.txt");
    expect(plain.git("cat-file", "blob", "HEAD:a.txt")).toBe("one\nzwei\nthree");
    expect(readdirSync(plain.root).toSorted()).toEqual(before);
    plain.write("b.f", "x\n");
    expect((await failureOf(wire, "git_add", { files: ["b.f"] })).text).toContain('the filter "own"');
    expect(existsSync(join(plain.root, "hooked.txt"))).toBe(false);
    expect(await wire.end()).toMatchObject({ code: 0 });
  });

  it.runIf(inSoak(true, false))("merges, meets conflicts, stashes and undoes", async () => {
    const plain = createTrap();
    const wire = await openTrap(plain);
    await resultOf(wire, "git_stash", { action: "push" });
    expect(plain.git("stash", "list")).not.toBe("");
    await resultOf(wire, "git_stash", { action: "pop" });
    await resultOf(wire, "git_commit", { message: "ours", files: ["a.txt"] });
    const ours = plain.git("rev-parse", "HEAD");
    await resultOf(wire, "git_merge", { target: "clean" });
    expect(existsSync(join(plain.root, "c.txt"))).toBe(true);
    await resultOf(wire, "git_undo", { id: "last" });
    expect(plain.git("rev-parse", "HEAD")).toBe(ours);
    expect(existsSync(join(plain.root, "c.txt"))).toBe(false);
    expect((await resultOf(wire, "git_merge", { target: "other" }))["conflicts"]).toBeDefined();
    await resultOf(wire, "git_resolve_conflict", { path: "a.txt", use: "theirs" });
    await resultOf(wire, "git_continue_or_abort", { action: "continue" });
    expect(plain.git("cat-file", "blob", "HEAD:a.txt")).toBe("one\ntheirs\nthree");
    await resultOf(wire, "git_checkout", { branch_name: "clean" });
    expect(plain.git("symbolic-ref", "HEAD")).toBe("refs/heads/clean");
    expect(existsSync(join(plain.root, "hooked.txt"))).toBe(false);
    const outside = await failureOf(wire, "git_status", { repo_path: "C:\\windows" });
    expect(outside.code).toBe("permission_denied");
    expect(outside.text).not.toContain("git.exe");
  });

  it.runIf(inSoak(true, false))("clones and fetches by the path of a drive", async () => {
    const place = createPlace();
    const hub = Plain.init(join(place, "hub.git"), "--bare");
    const plain = Plain.init(join(place, "work"));
    const first = plain.commit("first", { "a.txt": "a\n" });
    plain.git("push", "-q", hub.root, "main");
    plain.git("remote", "add", "hub", toWindowsPath(hub.root));
    plain.git("remote", "add", "uri", `file:///${toWindowsPath(hub.root).replaceAll("\\", "/")}`);
    const open = commandOnWindows("git");
    const wire = await openOnWindows([...open, "--all-tools", "--allow-network", "--allow-dir", place]);
    for (const remote of ["hub", "uri"]) {
      await resultOf(wire, "git_fetch", { repo_path: "work", remote });
      expect(plain.git("rev-parse", `${remote}/main`)).toBe(first);
    }
    await resultOf(wire, "git_clone", { url: toWindowsPath(hub.root), path: "cloned" });
    expect(existsSync(join(place, "cloned/a.txt"))).toBe(true);
    const outside = await failureOf(wire, "git_clone", { url: "C:\\git", path: "other" });
    expect(outside.code).toBe("permission_denied");
  });

  it.runIf(inSoak(true, false))("tells of what changes in the files and in the history", async () => {
    const plain = Plain.init(createPlace());
    plain.commit("first", { "a.txt": "a\n" });
    const wire = await openOnWindows([...commandOnWindows("git"), plain.root]);
    const [status, head] = ["status", "HEAD"].map((kind) => `git://${basename(plain.root)}/${kind}`);
    await listen(wire, { resourceSubscriptions: [status, head] });
    const hear = async (uri: string | undefined, change: (at: number) => void): Promise<void> => {
      const heard = wire.hear(
        (message) => isOf("notifications/resources/updated")(message) && message.params?.["uri"] === uri,
      );
      // Until it is watched, nothing is heard.
      let at = 0;
      const timer = setInterval(() => change((at += 1)), 3000);
      await heard.finally(() => clearInterval(timer));
    };
    await hear(status, (at) => plain.write(`new-${at}.txt`, "x\n"));
    await hear(head, (at) => void plain.commit(`commit ${at}`, { "a.txt": `${at}\n` }));
    expect(await wire.end()).toMatchObject({ code: 0 });
  });

  it.runIf(inSoak(true, false))("does not look at a work tree that is on another machine", async () => {
    const plain = Plain.init(createPlace());
    plain.commit("first", { "a.txt": "a\n" });
    const own = join(plain.root, ".git/worktrees/other");
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, "HEAD"), "ref: refs/heads/other\n");
    writeFileSync(join(own, "commondir"), "../..\n");
    writeFileSync(join(own, "gitdir"), `${toWindowsPath(plain.root)}\\.git\n`);
    const wire = await openOnWindows([...commandOnWindows("git"), "--all-tools", plain.root]);
    await resultOf(wire, "git_worktrees");
    writeFileSync(join(own, "gitdir"), "//elsewhere.invalid/share/other/.git\n");
    const refused = await failureOf(wire, "git_worktrees");
    expect(refused).toMatchObject({ code: "permission_denied" });
    expect(refused.text).toContain("on another machine");
  });

  it("--doctor names the git that it found", async () => {
    const wire = await openOnWindows([...commandOnWindows("git"), "--doctor"]);
    await wire.exited;
    expect(wire.rawLines.join("\n")).toContain("git 2.45 (C:\\git\\cmd\\git.exe)");
  });
});
