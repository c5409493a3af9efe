import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import type { Fields } from "../support/message.ts";
import { createPlace } from "../support/place.ts";
import { openBranches } from "./branches.ts";
import { failureOf, openGit, Plain, resultOf, stateOf } from "./program.ts";

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
  const plain = Plain.init();
  const rules = CONVERTED.map(([path, attributes]) => `${JSON.stringify(path)} ${attributes}\n`);
  const files = CONVERTED.map(([path, , committed]) => [path, committed] as const);
  plain.commit("first", { ".gitattributes": rules.join(""), ...Object.fromEntries(files) });
  const wire = await openGit(["--all-tools", plain.root]);
  const read = (path: string): Buffer => readFileSync(join(plain.root, path));
  for (const [path, , , changed] of CONVERTED) plain.write(path, changed);
  const writes = {
    git_stash: { action: "push" },
    git_restore: { files: ["."] },
    git_reset: { mode: "hard" },
  };
  for (const [tool, args] of Object.entries(writes)) {
    const { undo_id: id } = await resultOf(wire, tool, args);
    const after = CONVERTED.map(([path]) => read(path));
    const { undo_id: undone } = await resultOf(wire, "git_undo", { id });
    for (const [path, , , changed] of CONVERTED) expect(read(path), `${path} ${tool}`).toEqual(changed);
    if (tool !== "git_reset") continue;
    // Git notices here which files only look changed.
    plain.git("status");
    await resultOf(wire, "git_undo", { id: undone });
    expect(CONVERTED.map(([path]) => read(path))).toEqual(after);
  }
});

it("neither a pipe in place of a file nor what git cannot convert stands in the way of a backup", async () => {
  const plain = Plain.init();
  const attributes = "wide.txt working-tree-encoding=UTF-16\n";
  plain.commit("first", { ".gitattributes": attributes, "a.txt": "a\n", pipe: "file\n", "wide.txt": "" });
  plain.write("wide.txt", "not in pairs!");
  rmSync(join(plain.root, "pipe"));
  execFileSync("mkfifo", [join(plain.root, "pipe")]);
  plain.write("a.txt", "mine\n");
  const wire = await openGit([plain.root]);
  await resultOf(wire, "git_restore", { files: ["a.txt"] });
  await resultOf(wire, "git_undo", { id: "last" });
  expect(readFileSync(join(plain.root, "a.txt"), "utf8")).toBe("mine\n");
  expect(statSync(join(plain.root, "pipe")).isFIFO()).toBe(true);
  await resultOf(wire, "git_reset", { mode: "hard" });
  expect(readFileSync(join(plain.root, "pipe"), "utf8")).toBe("file\n");
  await resultOf(wire, "git_undo", { id: "last" });
  expect(readFileSync(join(plain.root, "wide.txt"), "utf8")).toBe("not in pairs!");
});

describe("a file that a filter is to replace", () => {
  it("is staged in no way while filters do not run", async () => {
    const { wire, plain, at } = await openBranches();
    plain.write(".git/info/attributes", "a.txt filter=secret\nb.txt filter=nothing\ngone filter=secret\n");
    plain.commit("gone", { gone: "gone\n" });
    plain.git("config", "filter.secret.clean", "tr a-z A-Z");
    rmSync(join(plain.root, "gone"));
    // One that is not configured does nothing, and what is removed needs none.
    plain.write("b.txt", "mine\n");
    await resultOf(wire, "git_commit", { ...at, message: "x", files: ["b.txt", "gone"] });
    plain.write("a.txt", "mine\n");
    const { hunks } = await resultOf<{ hunks: { id: string }[] }>(wire, "git_list_hunks", at);
    const before = stateOf(plain);
    const refuse = async (tool: string, args: Fields): Promise<void> => {
      const refused = await failureOf(wire, tool, { ...at, ...args });
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
    await resultOf(wire, "git_restore", { ...at, files: ["a.txt"] });
    await resultOf(wire, "git_merge", { ...at, target: "topic" });
    plain.write("a.txt", "resolved\n");
    await refuse("git_resolve_conflict", { path: "a.txt", use: "file" });
    await refuse("git_resolve_conflict", { path: "a.txt", text: "resolved\n" });
    await resultOf(wire, "git_resolve_conflict", { ...at, path: "a.txt", use: "theirs" });
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
