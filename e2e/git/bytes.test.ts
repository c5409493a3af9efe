import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { openGit, Plain, resultOf } from "./program.ts";

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
