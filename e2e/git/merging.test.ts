import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { openBranches } from "./branches.ts";
import { PREDICTS, openEmpty } from "./program.ts";

/** Both sides of files that do not end with a line end. */
/** What is chosen for the files where it is not ours, and what comes of it. */
const CHOSEN: Readonly<Record<string, readonly [choice: object, text: string]>> = {
  "both.txt": [{ use: "both" }, "a\nour\ntheir"],
  "dos.txt": [{ use: "both" }, "a\r\nour\r\nour\r\ntheir\r\ntheir"],
  "lines.txt": [{ text: "b\nc" }, "a\r\nb\r\nc\r\nend\r\n"],
  "last.txt": [{ text: "b\r\nc\r\n" }, "a\r\nb\r\nc\r\n"],
  "stray.txt": [{ text: "b\nc\n" }, "a\nb\nc\nend\n"],
};

describe("merging", () => {
  it("predicts what it then does", async () => {
    const { plain, works } = await openBranches();
    const head = plain.git("rev-parse", "HEAD");
    expect(await works("git_merge", { target: "easy", dry_run: true })).toMatchObject({
      dry_run: true,
      outcome: "done",
      would_change: ["c.txt"],
    });
    expect(await works("git_merge", { target: "topic", dry_run: true })).toMatchObject(
      PREDICTS
        ? { outcome: "stopped", conflicts: [{ path: "a.txt" }] }
        : {
            predicted: false,
            would_change: ["a.txt"],
            note: "Dry run: nothing was changed. Conflicts were not predicted: there may be some.",
          },
    );
    expect(plain.git("rev-parse", "HEAD")).toBe(head);
    expect(plain.git("status", "--porcelain")).toBe("");
    const merged = await works("git_merge", { target: "easy" });
    expect(merged).toMatchObject({ outcome: "done", changed: ["c.txt"] });
    expect(plain.git("log", "-1", "--format=%s")).toBe("Merge easy");
    expect(await works("git_merge", { target: "easy" })).toMatchObject({ outcome: "up_to_date" });
    await works("git_undo", { id: merged["undo"] as string });
    expect(plain.git("rev-parse", "HEAD")).toBe(head);
    expect(existsSync(join(plain.root, "c.txt"))).toBe(false);
  });

  it("is as asked for, whatever the configuration says", async () => {
    const { plain, works } = await openBranches();
    const secret = join(createPlace(), "secret");
    writeFileSync(secret, "top secret\n");
    plain.git("config", "branch.main.mergeOptions", `--no-commit -F ${secret}`);
    plain.git("config", "merge.ff", "false");
    const merged = await works("git_merge", { target: "easy" });
    expect(merged).toMatchObject({ outcome: "done", changed: ["c.txt"] });
    expect(plain.git("log", "-1", "--format=%B")).toBe("Merge easy");
    expect(plain.git("rev-list", "--parents", "-1", "HEAD").split(" ")).toHaveLength(3);
    await works("git_undo", { id: merged["undo"] as string });
    const squashed = await works("git_merge", { target: "easy", mode: "squash" });
    expect(plain.git("status", "--porcelain")).toBe("A  c.txt");
    const message = join(plain.root, ".git", "SQUASH_MSG");
    expect(existsSync(message)).toBe(true);
    await works("git_undo", { id: squashed["undo"] as string });
    // Git would propose it for the next commit.
    expect(existsSync(message)).toBe(false);
  });

  it("keeps lines that both sides share once, and shows what would come of a choice", async () => {
    const { plain, read, works } = await openBranches();
    const rows: readonly (readonly [base: string | undefined, ours: string, theirs: string, both: string])[] =
      [
        // Git splits a region where more than three lines are the same.
        [
          "a\n1\n2\n3\nz\n",
          "a\nA\nm\nn\no\np\nB\nz\n",
          "a\nC\nm\nn\no\np\nD\nz\n",
          "a\nA\nC\nm\nn\no\np\nB\nD\nz\n",
        ],
        ["a\nz\n", "a\nsame\nours\nend\nz\n", "a\nsame\ntheirs\nend\nz\n", "a\nsame\nours\ntheirs\nend\nz\n"],
        ["a\nz\n", "a\nsame\nz\n", "a\nsame\nmore\nz\n", "a\nsame\nmore\nz\n"],
        [undefined, "1\n2\n3\n4\n5\nours\n", "1\n2\n3\n4\n5\ntheirs\n", "1\n2\n3\n4\n5\nours\ntheirs\n"],
        [undefined, "x\n1\n2\n3\n4\n5\ny\n", "v\n1\n2\n3\n4\n5\nw\n", "x\nv\n1\n2\n3\n4\n5\ny\nw\n"],
      ];
    const put = (column: 0 | 1 | 2): void => {
      for (const [at, row] of rows.entries())
        if (row[column] !== undefined) plain.write(`f${at}.txt`, row[column]);
      plain.commit(String(column), {});
    };
    put(0);
    plain.git("switch", "-qc", "theirs");
    put(2);
    plain.git("switch", "-q", "main");
    put(1);
    plain.git("config", "merge.conflictStyle", "diff3");
    await works("git_merge", { target: "theirs" });
    for (const [at, [, ours, , text]] of rows.entries()) {
      const path = `f${at}.txt`;
      for (const [use, shown] of [
        ["both", text],
        ["ours", ours],
      ])
        expect(await works("git_resolve_conflict", { path, use, dry_run: true })).toMatchObject({
          text: shown,
        });
      await works("git_resolve_conflict", { path, use: "both" });
      expect(read(path)).toBe(text);
    }
  });

  it("stops at conflicts, shows them by region, and takes choices per region", async () => {
    const { plain, call, read, works, fails } = await openBranches();
    plain.git("switch", "-q", "topic");
    chmodSync(join(plain.root, "a.txt"), 0o755);
    plain.commit("runs", {});
    plain.git("switch", "-q", "main");
    const stopped = await works("git_merge", { target: "topic" });
    expect(stopped).toMatchObject({
      outcome: "stopped",
      conflicts: [{ path: "a.txt", kind: "both_modified" }],
    });
    expect(stopped["note"]).toContain("git_conflicts");
    plain.write("0.txt", "new\n");
    plain.git("add", "0.txt");
    expect(await works("git_list_hunks", { staged: true })).toMatchObject({
      hunks: [{ path: "0.txt", text: "+new" }],
      conflicts: 1,
      note: expect.stringMatching(/^1 file has conflicts, and so no hunks .* git_add\.$/) as unknown,
    });
    plain.git("rm", "-qf", "0.txt");
    expect(textOf(await call("git_list_hunks"))).toMatch(/^No hunks\.\n1 file has conflicts/);
    expect((await fails("git_continue_or_abort", { action: "continue" })).code).toBe("conflict");
    const { files } = await works<{ files: unknown }>("git_conflicts");
    expect(files).toEqual([
      {
        path: "a.txt",
        kind: "both_modified",
        regions: [
          { region: 1, base: "two\n", ours: "DEUX\n", theirs: "ZWEI\n" },
          { region: 2, base: "seven\n", ours: "SEPT\n", theirs: "SIEBEN\n" },
        ],
      },
    ]);
    const half = { path: "a.txt", regions: [{ region: 1, use: "ours" }] };
    expect((await fails("git_resolve_conflict", half)).text).toContain("no choice given for 2");
    const regions = [
      { region: 1, use: "both" },
      { region: 2, text: "7" },
    ];
    const resolved = await works("git_resolve_conflict", { path: "a.txt", regions });
    expect(resolved).toMatchObject({ remaining: 0, changed: ["a.txt"] });
    expect(read("a.txt")).toBe("one\nDEUX\nZWEI\nthree\nfour\nfive\nsix\n7\n");
    expect(plain.git("status", "--porcelain", "-uno")).toBe("M  a.txt");
    // Only they have changed it.
    expect(plain.git("ls-files", "-s", "a.txt")).toMatch(/^100755/);
    const ended = await works("git_continue_or_abort", { action: "continue" });
    expect(ended).toMatchObject({ operation: "merge", outcome: "done" });
    expect(plain.git("rev-list", "--parents", "-1", "HEAD").split(" ")).toHaveLength(3);
  });

  it("keeps both sides of every region", async () => {
    const { read, works } = await openBranches();
    await works("git_merge", { target: "topic" });
    await works("git_resolve_conflict", { path: "a.txt", use: "both" });
    expect(read("a.txt")).toBe("one\nDEUX\nZWEI\nthree\nfour\nfive\nsix\nSEPT\nSIEBEN\n");
  });

  it("takes no line of a file for a mark of a conflict, and keeps how each side ends", async () => {
    const { plain, read, works } = await openBranches();
    const toFiles = (who: string, rule: string) => ({
      "rule.md": `${who} title\n${rule}\n${who} text\nend\n`,
      "open.txt": `a\n${who}`,
      "both.txt": `a\n${who}`,
      "dos.txt": `a\r\n${who}\r\n${who}`,
      "lines.txt": `a\r\n${who}\r\nend\r\n`,
      "last.txt": `a\r\n${who}`,
      "stray.txt": `a\n${who}${who === "their" ? "\r" : ""}\nend\n`,
    });
    const base = plain.commit("base", toFiles("base", "=".repeat(60)));
    const ours = toFiles("our", `=======\n${"=".repeat(65)}`);
    plain.commit("ours", ours);
    plain.git("switch", "-qc", "theirs", base);
    plain.commit("theirs", toFiles("their", "=".repeat(60)));
    plain.git("switch", "-q", "main");
    await works("git_merge", { target: "theirs" });
    for (const [path, own] of Object.entries(ours)) {
      const [choice, text] = CHOSEN[path] ?? [{ use: "ours" }, own];
      await works("git_resolve_conflict", { path, regions: [{ region: 1, ...choice }] });
      expect(read(path)).toBe(text);
    }
  });

  it("converts the text it is given as git converts a file", async () => {
    const { plain, works } = await openBranches("--trust-repository");
    plain.commit("attributes", { ".gitattributes": "a.txt filter=f eol=crlf\n" });
    plain.git("config", "filter.f.clean", "sed s/secret/hidden/");
    plain.git("config", "core.safecrlf", "true");
    await works("git_merge", { target: "topic" });
    await works("git_resolve_conflict", { path: "a.txt", text: "a secret\r\nb\r\n" });
    expect(plain.git("cat-file", "-p", ":a.txt")).toBe("a hidden\nb");
    await works("git_continue_or_abort", { action: "abort" });
    await works("git_merge", { target: "topic" });
    await works("git_resolve_conflict", { path: "a.txt", text: "a\nb\n" });
    expect(plain.git("cat-file", "-p", ":a.txt")).toBe("a\nb");
  });

  it("stages no file that still has git's markers, and any other", async () => {
    const { plain, works, fails } = await openBranches();
    const quoted = "<<<<<<< HEAD\nquoted\n=======\n>>>>>>> topic\n";
    const names = ["a.txt", "how to.md", "lock.json", "short", "wide"];
    const toWide = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, "utf16le");
    const theirs = `theirs\n${quoted}`;
    const attributes =
      "lock.json -diff\nshort conflict-marker-size=5\n*.md eol=crlf\nwide working-tree-encoding=UTF-16\n";
    const toFiles = (text: string) => ({ "lock.json": text, short: text, large: text });
    plain.git("switch", "-q", "topic");
    plain.write(Buffer.from("caf\xe9", "latin1"), "theirs\n");
    plain.commit("theirs", { ...toFiles("theirs\n"), "how to.md": theirs, wide: "theirs\n" });
    plain.git("switch", "-q", "main");
    plain.write("wide", toWide("ours\n"));
    plain.write(Buffer.from("caf\xe9", "latin1"), "ours\n");
    plain.commit("ours", { ...toFiles("ours\n"), "how to.md": "ours\n", ".gitattributes": attributes });
    await works("git_merge", { target: "topic" });
    const ways = [
      ...names.map((path) => ["git_add", { files: [path] }] as const),
      ["git_commit", { files: names, message: "merged" }] as const,
      ["git_resolve_conflict", { path: "how to.md", use: "file" }] as const,
      ["git_resolve_conflict", { path: "how to.md", use: "file", dry_run: true }] as const,
    ];
    for (const [tool, args] of ways) {
      const { code, text, hint } = await fails(tool, { ...args });
      expect({ code, text, hint }).toMatchObject({
        code: "conflict",
        text: expect.stringContaining("still has conflict markers") as unknown,
        hint: expect.stringContaining("git_resolve_conflict") as unknown,
      });
    }
    expect((await fails("git_add", { files: ['"caf\\351"'] })).text).toContain("still has");
    plain.write(Buffer.from("caf\xe9", "latin1"), "merged\n");
    // More than git may print for us, in a file that is not asked for.
    writeFileSync(join(plain.root, "large"), Buffer.alloc(65 * 1024 * 1024, "x"));
    plain.write("short", "merged\n");
    await works("git_add", { files: ["short"], dry_run: true });
    for (const name of ["large", "lock.json"]) plain.write(name, "merged\n");
    plain.write("wide", toWide("merged\n"));
    // One of two regions is left.
    plain.write("a.txt", `one\nZWEI\n${quoted}`);
    expect((await fails("git_add", { files: ["."] })).text).toContain('"a.txt" still has');
    await works("git_resolve_conflict", { path: "a.txt", text: quoted });
    plain.write("how to.md", `ours\n${theirs}`.replaceAll("\n", "\r\n"));
    expect(await works("git_add", { files: ["."] })).toMatchObject({
      changed: ['"caf\\351"', "how to.md", "large", "lock.json", "short", "wide"],
    });
    expect(plain.git("ls-files", "--unmerged")).toBe("");
  });

  it("tells git's markers from the same lines of an example that both sides have", async () => {
    const { plain, works, fails } = await openEmpty();
    const toConflict = (ours: string): string => `<<<<<<< HEAD\n${ours}=======\ntheirs\n>>>>>>> topic\n`;
    const toGuide = (first: string): string => `${first}\n\n\n${toConflict("example\n")}`;
    plain.commit("base", { guide: toGuide("base\n") });
    plain.git("switch", "-qc", "topic");
    plain.commit("topic", { guide: toGuide("theirs\n") });
    plain.git("switch", "-q", "main");
    plain.commit("ours", { guide: toGuide("ours\n") });
    await works("git_merge", { target: "topic" });
    plain.write("guide", toGuide(toConflict("ours\n")));
    expect((await fails("git_add", { files: ["guide"] })).text).toContain("still has conflict markers");
    plain.write("guide", toGuide("both\n"));
    await works("git_add", { files: ["guide"] });
  });

  it("gives up without a trace", async () => {
    const { plain, read, works, fails } = await openBranches();
    plain.git("switch", "-qc", "more");
    plain.commit("more", { "d.txt": "d\n" });
    plain.git("switch", "-q", "main");
    plain.git("merge", "-q", "--no-commit", "easy", "more");
    await works("git_continue_or_abort", { action: "abort" });
    expect(plain.git("status", "--porcelain")).toBe("");
    await works("git_merge", { target: "topic" });
    await works("git_continue_or_abort", { action: "abort" });
    expect(plain.git("status", "--porcelain")).toBe("");
    expect(read("a.txt")).toContain("DEUX");
    expect((await fails("git_continue_or_abort", { action: "abort" })).code).toBe("precondition_failed");
  });

  it("undoes a merge that stopped", async () => {
    const { plain, works } = await openBranches();
    const stopped = await works("git_merge", { target: "topic" });
    await works("git_undo", { id: stopped["undo"] as string });
    expect(plain.git("status", "--porcelain")).toBe("");
    expect(existsSync(join(plain.root, ".git", "MERGE_HEAD"))).toBe(false);
  });

  it("refuses to merge over uncommitted changes", async () => {
    const { plain, read, fails } = await openBranches();
    plain.write("a.txt", "mine alone\n");
    expect((await fails("git_merge", { target: "topic" })).code).toBe("conflict");
    expect(read("a.txt")).toBe("mine alone\n");
  });

  it.each(["ours", "theirs"] as const)("takes the whole of %s", async (side) => {
    const { plain, read, works } = await openBranches();
    await works("git_merge", { target: "topic" });
    await works("git_resolve_conflict", { path: "a.txt", use: side });
    expect(read("a.txt")).toContain(side === "ours" ? "DEUX" : "ZWEI");
    expect(plain.git("ls-files", "--unmerged")).toBe("");
  });

  it("settles a file that one side deleted, either way", async () => {
    const { plain, works } = await openBranches();
    plain.git("switch", "-q", "easy");
    plain.git("rm", "-q", "a.txt");
    plain.git("commit", "-qm", "gone");
    await works("git_merge", { target: "topic" });
    const { files } = await works<{ files: object[] }>("git_conflicts");
    expect(files).toEqual([{ path: "a.txt", kind: "deleted_by_us" }]);
    const deleted = await works("git_resolve_conflict", { path: "a.txt", use: "deleted" });
    expect(deleted["note"]).toContain("if git_status names an operation");
    expect(existsSync(join(plain.root, "a.txt"))).toBe(false);
    plain.write("b.txt", "more\n");
    plain.git("add", "b.txt");
    const next = { action: "continue" };
    expect(await works("git_continue_or_abort", { ...next, dry_run: true })).toMatchObject({
      would_change: ["b.txt"],
    });
    await works("git_continue_or_abort", next);
    expect(plain.git("status", "--porcelain")).toBe("");
  });
});
