import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Fields } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { openBranches } from "./branches.ts";
import { failureOf, interposeGit, openGit, Plain, resultOf, stateOf, openEmpty } from "./program.ts";
import { describeOnUnix, itOnUnix } from "../support/programs.ts";

/** What git converts, with a change that it would not give back. */
const CONVERTED: readonly (readonly [
  path: string,
  attributes: string,
  committed: string,
  changed: Buffer,
])[] = [
  ["auto.txt", "text=auto", "one\n", Buffer.from("one\r\ntwo\r\n")],
  ["ends only.txt", "text=auto", "one\ntwo\n", Buffer.from("one\r\ntwo\r\n")],
  ["mixed.txt", "text eol=crlf", "one\n", Buffer.from("one\r\ntwo\n")],
  ["picture", "text", "one\n", Buffer.from([0, 13, 10, 255, 13, 10])],
  ["ident.txt", "ident", "$Id$\n", Buffer.from("$Id: mine $\nmore\n")],
  ["new\nline", "text", "one\n", Buffer.from("two\r\n")],
];

it("undo gives back the bytes that files had", async () => {
  const { plain, works } = await openEmpty();
  const rules = CONVERTED.map(([path, attributes]) => `${JSON.stringify(path)} ${attributes}\n`);
  const files = CONVERTED.map(([path, , committed]) => [path, committed] as const);
  plain.commit("first", { ".gitattributes": rules.join(""), ...Object.fromEntries(files) });
  const read = (path: string): Buffer => readFileSync(join(plain.root, path));
  for (const [path, , , changed] of CONVERTED) plain.write(path, changed);
  const writes = {
    git_stash: { action: "push" },
    git_restore: { files: ["."] },
    git_reset: { mode: "hard" },
  };
  for (const [tool, args] of Object.entries(writes)) {
    const { undo: id } = await works(tool, args);
    const after = CONVERTED.map(([path]) => read(path));
    const { undo: undone } = await works("git_undo", { id });
    for (const [path, , , changed] of CONVERTED) expect(read(path), `${path} ${tool}`).toEqual(changed);
    if (tool !== "git_reset") continue;
    // Git notices here which files only look changed.
    plain.git("status");
    await works("git_undo", { id: undone });
    expect(CONVERTED.map(([path]) => read(path))).toEqual(after);
  }
});

it("undo leaves no file that looks changed though only its line ends are others", async () => {
  const { plain, works } = await openEmpty();
  plain.commit("first", { ".gitattributes": "*.txt eol=crlf\n", "a.txt": "one\n", gone: "gone\n" });
  plain.commit("second", { "a.txt": "one\ntwo\n" });
  rmSync(join(plain.root, "gone"));
  plain.write("noted", "");
  plain.git("add", "--intent-to-add", "noted");
  for (const [tool, args] of [
    ["git_restore", { files: ["a.txt"], source: "HEAD~1" }],
    ["git_reset", { mode: "hard", target: "HEAD~1" }],
  ] as const) {
    // As in the index, and not as git checks it out.
    plain.write("a.txt", "one\ntwo\n");
    plain.git("add", "a.txt");
    await works(tool, args);
    await works("git_undo", { id: "last" });
    expect(plain.git("status", "--porcelain"), tool).toBe(" D gone\n A noted");
  }
});

itOnUnix(
  "neither a pipe in place of a file nor what git cannot convert stands in the way of a backup",
  async () => {
    const { plain, works } = await openEmpty();
    const attributes = "wide.txt working-tree-encoding=UTF-16\n";
    plain.commit("first", { ".gitattributes": attributes, "a.txt": "a\n", pipe: "file\n", "wide.txt": "" });
    plain.write("wide.txt", "not in pairs!");
    rmSync(join(plain.root, "pipe"));
    execFileSync("mkfifo", [join(plain.root, "pipe")]);
    plain.write("a.txt", "mine\n");
    await works("git_restore", { files: ["a.txt"] });
    await works("git_undo", { id: "last" });
    expect(readFileSync(join(plain.root, "a.txt"), "utf8")).toBe("mine\n");
    expect(statSync(join(plain.root, "pipe")).isFIFO()).toBe(true);
    await works("git_reset", { mode: "hard" });
    expect(readFileSync(join(plain.root, "pipe"), "utf8")).toBe("file\n");
    await works("git_undo", { id: "last" });
    expect(readFileSync(join(plain.root, "wide.txt"), "utf8")).toBe("not in pairs!");
  },
);

/** What somebody does while an undo runs, in a run of git that is known. */
const MEANWHILE: readonly (readonly [script: string, at: string, says: string])[] = [
  ["git update-index --force-remove b.txt", "ls-files --stage ", "the index is different"],
  ["echo theirs > b.txt", "ls-files --stage ", "files in the work tree are different"],
  ["echo theirs > new.txt", "fast-import ", '"new.txt"'],
  ["echo theirs > a.txt", "fast-import ", '"a.txt" has changed'],
  ["ln -sf b.txt a.txt", "fast-import ", '"a.txt" has changed'],
];

describeOnUnix("what happens meanwhile", () => {
  it.each(MEANWHILE)("an undo does not take back: %s", async (script, at, says) => {
    const plain = Plain.init();
    plain.commit("first", { "a.txt": "a\n", "b.txt": "b\n" });
    plain.write("a.txt", "mine\n");
    plain.write("new.txt", "new\n");
    plain.git("add", "new.txt");
    const env = interposeGit(`*" "${at.replaceAll(" ", '" "')}*) ${script};;`);
    await resultOf(await openGit([plain.root]), "git_reset", { mode: "hard" });
    const wire = await openGit([plain.root], { env });
    const refused = await failureOf(wire, "git_undo", { id: "last" });
    expect(refused).toMatchObject({ code: "conflict" });
    expect(refused.text).toContain(says);
    const left = stateOf(plain);
    execFileSync("sh", ["-c", script], { cwd: plain.root });
    expect(stateOf(plain)).toBe(left);
    expect(existsSync(join(plain.root, "new.txt"))).toBe(script.includes("new.txt"));
  });
});

itOnUnix("an undo that fails on the way leaves each file whole, and is itself the last write", async () => {
  const plain = Plain.init();
  const names = ["a.txt", "b.txt", "c.txt"];
  const filled = (content: string) => Object.fromEntries(names.map((name) => [name, content]));
  plain.commit("first", { ".gitattributes": "*.txt eol=crlf\n", ...filled("one\n") });
  for (const name of names) plain.write(name, `${name}\n`);
  const [armed, moved] = ["armed", "moved"].map((name) => join(plain.root, ".git", name));
  const env = interposeGit(`*" read-tree --reset "*) mv '${armed}' '${moved}' 2>/dev/null;;
*" cat-file "*) if rm '${moved}' 2>/dev/null; then git "$@" | head -c 60; exit 1; fi;;`);
  const wire = await openGit([plain.root], { env });
  const { undo: id } = await resultOf(wire, "git_reset", { mode: "hard" });
  writeFileSync(armed ?? "", "");
  await failureOf(wire, "git_undo", { id });
  for (const name of names)
    expect([`${name}\n`, `${name}\r\n`]).toContain(readFileSync(join(plain.root, name), "utf8"));
  const { changes } = await resultOf<{ changes: { id: string }[] }>(wire, "git_undo");
  expect((await failureOf(wire, "git_undo", { id })).hint).toContain(changes[0]?.id);
  await resultOf(wire, "git_undo", { id: "last" });
  await resultOf(wire, "git_undo", { id: "last" });
  for (const name of names) expect(readFileSync(join(plain.root, name), "utf8")).toBe(`${name}\n`);
});

it("an undo gives back a file outside of a sparse checkout, and no other", async () => {
  const { plain, works } = await openEmpty();
  plain.commit("first", { "in/a": "1\n", "out/b": "1\n", "out/c": "1\n" });
  plain.git("switch", "-qc", "topic");
  plain.commit("second", { "in/a": "2\n", "out/c": "2\n" });
  plain.git("sparse-checkout", "set", "--cone", "in");
  plain.write("out/b", "mine\n");
  await works("git_reset", { mode: "hard", target: "main" });
  expect(existsSync(join(plain.root, "out"))).toBe(false);
  await works("git_undo", { id: "last" });
  expect(readFileSync(join(plain.root, "out/b"), "utf8")).toBe("mine\n");
  expect(existsSync(join(plain.root, "out/c"))).toBe(false);
  expect(plain.git("status", "--porcelain")).toBe(" M out/b");
});

describe("a file that a filter is to replace", () => {
  it("is staged in no way while filters do not run", async () => {
    const { plain, works, fails } = await openBranches();
    plain.write(".git/info/attributes", "a.txt filter=secret\nb.txt filter=nothing\ngone filter=secret\n");
    plain.commit("gone", { gone: "gone\n" });
    plain.git("config", "filter.secret.clean", "tr a-z A-Z");
    rmSync(join(plain.root, "gone"));
    // One that is not configured does nothing, and what is removed needs none.
    plain.write("b.txt", "mine\n");
    await works("git_commit", { message: "x", files: ["b.txt", "gone"] });
    plain.write("a.txt", "mine\n");
    const { hunks } = await works<{ hunks: { id: string }[] }>("git_list_hunks");
    const before = stateOf(plain);
    const refuse = async (tool: string, args: Fields): Promise<void> => {
      const refused = await fails(tool, { ...args });
      expect(refused, `${tool} ${JSON.stringify(args)}`).toMatchObject({
        code: "permission_denied",
        hint: expect.stringContaining("--trust-repository") as unknown,
      });
    };
    await refuse("git_add", { files: ["."] });
    await refuse("git_commit", { message: "x", files: ["a.txt"] });
    await refuse("git_stage_hunks", { ids: hunks.map(({ id }) => id) });
    await refuse("git_stash", { action: "push" });
    expect(stateOf(plain)).toBe(before);
    await works("git_restore", { files: ["a.txt"] });
    await works("git_merge", { target: "topic" });
    plain.write("a.txt", "resolved\n");
    await refuse("git_resolve_conflict", { path: "a.txt", use: "file" });
    await refuse("git_resolve_conflict", { path: "a.txt", text: "resolved\n" });
    await works("git_resolve_conflict", { path: "a.txt", use: "theirs" });
  });

  it("comes back by undo though its filter, which must work, cannot take its bytes", async () => {
    const plain = Plain.init();
    for (const [name, value] of Object.entries({ clean: "gzip -nc", smudge: "gzip -dc", required: "true" }))
      plain.git("config", `filter.gz.${name}`, value);
    plain.commit("first", { ".gitattributes": "*.z filter=gz\n", "a.z": "one\n", "b.txt": "b\n" });
    plain.write("a.z", "mine\n");
    plain.write("b.txt", "mine\n");
    const wire = await openGit(["--trust-repository", plain.root]);
    await resultOf(wire, "git_reset", { mode: "hard" });
    await resultOf(wire, "git_undo", { id: "last" });
    for (const name of ["a.z", "b.txt"]) expect(readFileSync(join(plain.root, name), "utf8")).toBe("mine\n");
  });

  it("is not staged either where the operator configured the filter", async () => {
    const home = createPlace();
    writeFileSync(join(home, ".gitconfig"), '[filter "lfs"]\n\trequired\n');
    const plain = Plain.init();
    plain.write(".gitattributes", "* filter=lfs\n");
    const wire = await openGit([plain.root], { env: { HOME: home } });
    expect((await failureOf(wire, "git_add", { files: ["."] })).text).toContain('needs the filter "lfs"');
  });
});
