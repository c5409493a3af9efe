import { rmSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { failureOf, openGit, Plain, resultOf, stateOf, openEmpty } from "./program.ts";

describe("staging", () => {
  it("takes in what took the place of something else, but no repository", async () => {
    const { plain, works } = await openEmpty();
    plain.commit("first", { "folder/x": "x\n", file: "f\n", nested: "n\n" });
    for (const name of ["folder", "file", "nested"]) rmSync(join(plain.root, name), { recursive: true });
    plain.write("folder", "a file now\n");
    plain.write("file/x", "in a folder now\n");
    Plain.init(join(plain.root, "nested")).commit("nested", { x: "x\n" });
    const changed = ["file", "file/x", "folder", "folder/x", "nested"];
    expect(await works("git_add", { files: ["."] })).toMatchObject({ changed });
    expect(plain.git("ls-files")).toBe("file/x\nfolder");
  });

  it("says which name git does not take, and leaves the others out with it", async () => {
    const { plain, fails } = await openEmpty();
    plain.write("a.txt", "a\n");
    // Windows may take it for .git.
    plain.write("git~1/x", "x\n");
    const refused = await fails("git_add", { files: ["."] });
    expect(refused).toMatchObject({ code: "invalid_input" });
    expect(refused.text).toContain('"git~1/x"');
    expect(plain.git("ls-files")).toBe("");
  });

  it("of a hunk compares no other file: one may be too large for that", async () => {
    const { plain, works, fails } = await openEmpty();
    const large = `${"x".repeat(2 ** 20)}\n`.repeat(36);
    plain.commit("first", { "a[1].txt": "a\n", "large.txt": large });
    plain.write("a[1].txt", "b\n");
    const { hunks } = await works<{ hunks: { id: string }[] }>("git_list_hunks");
    plain.write("large.txt", large.replaceAll("x", "y"));
    const refused = await fails("git_list_hunks");
    expect(refused).toMatchObject({ code: "too_large", hint: expect.stringContaining("paths") as unknown });
    const ids = hunks.map(({ id }) => id);
    expect(await works("git_stage_hunks", { ids })).toMatchObject({ changed: ["a[1].txt"] });
    expect(await works("git_unstage_hunks", { ids })).toMatchObject({ changed: ["a[1].txt"] });
    expect(plain.git("status", "--porcelain")).toBe(" M a[1].txt\n M large.txt");
  });

  it("is refused before it begins where git would refuse, as other writes are", async () => {
    const unborn = Plain.init();
    unborn.write("a.txt", "a\n");
    unborn.git("add", ".");
    const plain = Plain.init();
    plain.commit("first", { "in/a.txt": "a\n", "out/b.txt": "b\n", "c.txt": "c\n" });
    plain.commit("second", { "c.txt": "d\n" });
    plain.git("sparse-checkout", "set", "--cone", "in");
    plain.git("config", "fastimport.unpackLimit", "1");
    plain.git("update-index", "--assume-unchanged", "c.txt");
    for (const path of ["in/a.txt", "c.txt", "out/new.txt"]) plain.write(path, "mine\n");
    const wire = await openGit(["--all-tools", "--repository", unborn.root, "--repository", plain.root]);
    for (const [at, tool, args, code] of [
      [unborn, "git_commit", { amend: true, message: "x" }, "precondition_failed"],
      [plain, "git_stash", { action: "push", files: ["in/a.txt", "none.txt"] }, "not_found"],
      [plain, "git_add", { files: ["."] }, "precondition_failed"],
      [plain, "git_reset", { mode: "hard", target: "HEAD~1" }, "conflict"],
    ] as const) {
      const before = stateOf(at);
      for (const dry of [true, false]) {
        const refused = await failureOf(wire, tool, { ...args, repo_path: at.root, dry_run: dry });
        expect([tool, dry, refused.code], refused.text).toEqual([tool, dry, code]);
      }
      expect(stateOf(at)).toBe(before);
    }
    await resultOf(wire, "git_add", { repo_path: plain.root, files: ["in"] });
    expect(plain.git("diff", "--cached", "--name-only")).toBe("in/a.txt");
    expect(plain.git("count-objects", "-v")).toContain("\npacks: 0\n");
  });

  it("keeps the letters of a folder where capitals make no difference", async () => {
    const { plain, works } = await openEmpty();
    plain.commit("first", { "Folder/a": "a\n" });
    plain.git("config", "core.ignoreCase", "true");
    plain.write("folder/b", "b\n");
    await works("git_add", { files: ["."] });
    expect(plain.git("ls-files")).toBe("Folder/a\nFolder/b");
  });

  it("names the file that was meant, where a path is in other letters", async () => {
    const { plain, fails } = await openEmpty();
    plain.commit("first", { "src/work.txt": "a\n", "src/one.txt": "one\n" });
    plain.git("config", "core.ignoreCase", "true");
    plain.write("src/work.txt", "b\n");
    plain.write("my docs/Neue Datei.txt", "new\n");
    // Git finds it with the name that is tracked, as on a disk that ignores case.
    plain.write("src/WORK.txt", "b\n");
    const before = stateOf(plain);
    const work = 'Did you mean "src/work.txt"?';
    const file = '"my docs/neue datei.TXT" is neither there nor tracked';
    for (const [tool, args, says, hint] of [
      ["git_add", { files: ["my docs/neue datei.TXT"] }, file, 'Did you mean "my docs/Neue Datei.txt"?'],
      [
        "git_commit",
        { message: "x", files: ["src/WORK.txt"] },
        '"src/WORK.txt" is no name that git can stage',
        work,
      ],
      ["git_restore", { files: ["SRC/work.txt"] }, '"SRC/work.txt" is not tracked', work],
      ["git_reset", { files: ["src", "src/WORK.txt"] }, '"src/WORK.txt" is not tracked', work],
      [
        "git_stash",
        { action: "push", files: ["src", "SRC/work.txt"] },
        '"SRC/work.txt" is not tracked',
        work,
      ],
    ] as const) {
      const refused = await fails(tool, args);
      expect(refused, tool).toMatchObject({ code: "not_found", hint });
      expect(refused.text).toContain(says);
    }
    // An untracked file is not taken for another.
    plain.write("src/ones.txt", "x\n");
    for (const [tool, args, hint] of [
      ["git_restore", { files: ["src/ones.txt"] }, /^git_status shows/],
      ["git_stash", { action: "push", files: ["src", "src/ones.txt"] }, /need include_untracked/],
    ] as const)
      expect((await fails(tool, args)).hint).toMatch(hint);
    rmSync(join(plain.root, "src/ones.txt"));
    expect(stateOf(plain)).toBe(before);
  });
});
