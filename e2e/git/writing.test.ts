import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { callTool, textOf } from "../support/calls.ts";
import type { Fields } from "../support/message.ts";
import type { Wire } from "../support/wire.ts";
import { createHistory, numbered } from "./history.ts";
import { fail, openGit, Plain, stateOf, use } from "./program.ts";

interface Written {
  readonly changed: string[];
  readonly undo_id?: string;
}

function createDirty(): Plain {
  const plain = createHistory();
  plain.write("a.txt", numbered(40, { 3: "three", 20: "main", 35: "thirty-five" }));
  plain.write("src/one.ts", "export const one = 1.5;\n");
  plain.git("add", "src/one.ts");
  plain.write("new.txt", "new\n");
  return plain;
}

/** Each writer once, with what it must have changed. */
const WRITERS: readonly {
  readonly tool: string;
  readonly args: Fields;
  readonly changed: readonly string[];
  readonly check: (plain: Plain) => unknown;
  readonly is: unknown;
}[] = [
  {
    tool: "git_add",
    args: { files: ["."] },
    changed: ["a.txt", "new.txt"],
    check: (plain) => plain.git("diff", "--cached", "--name-only"),
    is: "a.txt\nnew.txt\nsrc/one.ts",
  },
  {
    tool: "git_add",
    args: { files: ["a.txt"] },
    changed: ["a.txt"],
    check: (plain) => plain.git("diff", "--name-only"),
    is: "",
  },
  {
    tool: "git_commit",
    args: { message: "one\n\n# kept" },
    changed: ["src/one.ts"],
    check: (plain) => plain.git("log", "-1", "--format=%B%an", "--name-only"),
    is: "one\n\n# kept\nTess Ter\n\nsrc/one.ts",
  },
  {
    tool: "git_commit",
    args: { message: "all", files: ["a.txt", "new.txt"], author: "Someone Else <else@example.org>" },
    changed: ["a.txt", "new.txt", "src/one.ts"],
    check: (plain) => plain.git("log", "-1", "--format=%an", "--name-only"),
    is: "Someone Else\n\na.txt\nnew.txt\nsrc/one.ts",
  },
  {
    tool: "git_commit",
    args: { amend: true },
    changed: ["src/one.ts"],
    check: (plain) => plain.git("log", "-1", "--format=%s"),
    is: "odd files",
  },
  {
    tool: "git_reset",
    args: {},
    changed: ["src/one.ts"],
    check: (plain) => plain.git("diff", "--cached", "--name-only"),
    is: "",
  },
  {
    tool: "git_reset",
    args: { files: ["src"] },
    changed: ["src"],
    check: (plain) => plain.git("diff", "--cached", "--name-only"),
    is: "",
  },
  {
    tool: "git_reset",
    args: { mode: "soft", target: "HEAD~1" },
    changed: ["HEAD"],
    check: (plain) => plain.git("log", "-1", "--format=%s"),
    is: "change line 20 on main",
  },
  {
    tool: "git_reset",
    args: { mode: "hard", target: "v1" },
    changed: ["HEAD"],
    check: (plain) => plain.git("status", "--porcelain"),
    is: "?? new.txt",
  },
  {
    tool: "git_restore",
    args: { files: ["a.txt"] },
    changed: ["a.txt"],
    check: (plain) => plain.git("diff", "--name-only"),
    is: "",
  },
  {
    tool: "git_restore",
    args: { files: ["."], staged: true, worktree: true },
    changed: ["a.txt", "src/one.ts"],
    check: (plain) => plain.git("status", "--porcelain"),
    is: "?? new.txt",
  },
  {
    tool: "git_restore",
    args: { files: ["a.txt"], source: "feature" },
    changed: ["a.txt"],
    check: (plain) => plain.git("diff", "feature", "--stat", "--", "a.txt"),
    is: "",
  },
  {
    tool: "git_create_branch",
    args: { branch_name: "topic", base_branch: "v1" },
    changed: ["refs/heads/topic"],
    check: (plain) => plain.git("rev-parse", "topic"),
    is: (plain: Plain) => plain.git("rev-parse", "v1"),
  },
  {
    tool: "git_create_branch",
    args: { branch_name: "topic/x", checkout: true },
    changed: ["refs/heads/topic/x", "HEAD"],
    check: (plain) => plain.git("branch", "--show-current"),
    is: "topic/x",
  },
];

describe("a write", () => {
  it.each(WRITERS)(
    "$tool $args is tried, made, and taken back",
    async ({ tool, args, changed, check, is }) => {
      const plain = createDirty();
      const wire = await openGit([plain.root]);
      const before = stateOf(plain);
      const tried = await use(wire, tool, { ...args, dry_run: true });
      expect(stateOf(plain)).toBe(before);
      expect(tried).toMatchObject({
        dry_run: true,
        would_change: expect.arrayContaining([...changed]) as unknown,
      });
      expect(plain.git("for-each-ref", "refs/suite")).toBe("");
      const made: Written = await use(wire, tool, args);
      expect(made.changed).toEqual(expect.arrayContaining([...changed]));
      expect(made.changed).toEqual(tried["would_change"]);
      expect(check(plain)).toBe(typeof is === "function" ? (is as (given: Plain) => unknown)(plain) : is);
      const after = stateOf(plain);
      expect(after).not.toBe(before);
      const undone: Written = await use(wire, "git_undo", { id: made.undo_id });
      expect(stateOf(plain)).toBe(before);
      await use(wire, "git_undo", { id: undone.undo_id });
      expect(stateOf(plain)).toBe(after);
      expect(plain.git("fsck", "--no-dangling", "--connectivity-only")).toBe("");
      expect(readdirSync(join(plain.root, ".git")).filter((name) => /lock|suite-index/.test(name))).toEqual(
        [],
      );
      expect(existsSync(join(plain.root, ".git/suite/writing.json"))).toBe(false);
    },
  );

  it("by checkout moves files, and back", async () => {
    const plain = createHistory();
    const wire = await openGit([plain.root]);
    const before = stateOf(plain);
    const result = await use<Written & { branch: string }>(wire, "git_checkout", { branch_name: "feature" });
    expect(result).toMatchObject({ branch: "feature", detached: false });
    expect(readFileSync(join(plain.root, "a.txt"), "utf8")).toContain("feature");
    await use(wire, "git_undo", { id: "last" });
    expect(stateOf(plain)).toBe(before);
    expect(await use(wire, "git_checkout", { branch_name: "v1" })).toMatchObject({ detached: true });
    await use(wire, "git_undo", { id: "last" });
    expect(stateOf(plain)).toBe(before);
    const tried = await use(wire, "git_checkout", { branch_name: "feature", dry_run: true });
    expect(tried).toMatchObject({
      would_change: expect.arrayContaining(["HEAD", "a.txt"]) as unknown,
      untrusted: ["branch", "would_change"],
    });
    plain.write("a.txt", "in the way\n");
    for (const stage of [false, true]) {
      if (stage) plain.git("add", "a.txt");
      for (const dry of [true, false]) {
        const refused = await fail(wire, "git_checkout", { branch_name: "feature", dry_run: dry });
        expect(refused).toMatchObject({ code: "conflict" });
        expect(refused.text).toContain('Uncommitted changes would be overwritten, such as those of "a.txt"');
      }
    }
    // What is the same there does not stand in the way, nor does what the index has from there.
    plain.git("checkout", "-q", "feature", "--", "a.txt");
    plain.write("src/one.ts", "export const one = 1.5;\n");
    for (const dry of [true, false])
      await use(wire, "git_checkout", { branch_name: "feature", dry_run: dry });
    expect(plain.git("status", "--porcelain")).toBe(" M src/one.ts");
    await use(wire, "git_undo", { undo_id: "last" });
    // What failed without a change leaves no trace.
    expect((await use<{ operations: { tool: string }[] }>(wire, "git_undo")).operations[0]?.tool).toBe(
      "git_undo",
    );
  });

  it("cannot be undone when something changed since, nor twice", async () => {
    const plain = createDirty();
    const wire = await openGit([plain.root]);
    const { undo_id: id } = await use<Written>(wire, "git_commit", { message: "one" });
    plain.git("commit", "-q", "--allow-empty", "-m", "somebody else's");
    const refused = await fail(wire, "git_undo", { id });
    expect(refused).toMatchObject({ code: "conflict" });
    expect(refused.text).toContain("HEAD has moved");
    plain.git("reset", "-q", "--soft", "HEAD~1");
    await use(wire, "git_undo", { id });
    expect(await fail(wire, "git_undo", { id })).toMatchObject({ code: "conflict" });
    expect(await fail(wire, "git_undo", { id: "20000101T000000000-0000" })).toMatchObject({
      code: "not_found",
    });
  });

  it("is the last one only until it is taken back", async () => {
    const plain = createHistory();
    const wire = await openGit([plain.root]);
    const heads = [plain.git("rev-parse", "HEAD")];
    for (const name of ["1", "2", "3"]) {
      plain.write("a.txt", `${name}\n`);
      await use(wire, "git_commit", { message: name, files: ["a.txt"] });
      heads.unshift(plain.git("rev-parse", "HEAD"));
    }
    let undone: Written = { changed: [] };
    for (const head of heads.slice(1)) {
      undone = await use(wire, "git_undo", { id: "last" });
      expect(plain.git("rev-parse", "HEAD")).toBe(head);
    }
    expect(await fail(wire, "git_undo", { id: "last" })).toMatchObject({ code: "not_found" });
    // Once its undo is taken back, the first is in effect again.
    await use(wire, "git_undo", { id: undone.undo_id });
    await use(wire, "git_undo", { id: "last" });
    expect(plain.git("rev-parse", "HEAD")).toBe(heads[3]);
  });

  it("that is refused says why, and changes nothing", async () => {
    const plain = createDirty();
    const wire = await openGit(["--reset-hard", "refuse", plain.root]);
    const before = stateOf(plain);
    const rows: readonly (readonly [string, Fields, string, RegExp])[] = [
      ["git_commit", { message: " " }, "invalid_input", /The message is empty/],
      ["git_commit", { message: "x", author: "nobody" }, "invalid_input", /Name <name@example.org>/],
      ["git_commit", { message: "x", files: ["nope.txt"] }, "not_found", /neither there nor tracked/],
      ["git_add", { files: ["nope.txt"] }, "not_found", /neither there nor tracked/],
      ["git_add", { files: ["a.txt", "../outside"] }, "invalid_input", /leads out of the repository/],
      ["git_reset", { mode: "hard" }, "permission_denied", /--reset-hard refuse/],
      ["git_reset", { mode: "soft", files: ["a.txt"] }, "invalid_input", /together with mode soft/],
      ["git_create_branch", { branch_name: "main" }, "conflict", /exists already/],
      ["git_create_branch", { branch_name: "a..b" }, "invalid_input", /not a name for a branch/],
      ["git_create_branch", { branch_name: "-x" }, "invalid_input", /not a name for a branch/],
      [
        "git_create_branch",
        { branch_name: "x", base_branch: "nope" },
        "not_found",
        /There is no revision "nope"/,
      ],
      ["git_restore", { files: ["READMEE.md"] }, "not_found", /"READMEE.md" is not tracked/],
      [
        "git_create_branch",
        { branch_name: "x", base: "HEAD@{99}" },
        "not_found",
        /does not go back that far/,
      ],
      ["git_show", { revision: "HEAD:a.txt" }, "not_found", /use git_read_file/],
      ["git_log", { since: "blurgh" }, "invalid_input", /since is not a date/],
      ["git_log", { until: "blurgh" }, "invalid_input", /until is not a date/],
      ["git_checkout", { branch_name: "featur" }, "not_found", /Did you mean "feature"/],
    ];
    for (const [tool, args, code, text] of rows) {
      const failure = await fail(wire, tool, args);
      expect(failure, `${tool} ${JSON.stringify(args)}: ${failure.text}`).toMatchObject({ code });
      expect(failure.text).toMatch(text);
    }
    // Beginning alike makes no tool the one that was meant.
    expect((await callTool(wire, "git_bisect", {})).error?.message).toBe("Unknown tool: git_bisect");
    expect((await callTool(wire, "git_statsu", {})).error?.message).toContain("did you mean git_status?");
    for (const since of ["yesterday", "last week", "2 weeks ago", "2020-01-31"])
      await use(wire, "git_log", { since, file: "a.txt", n: 1 });
    expect(stateOf(plain)).toBe(before);
    expect(plain.git("for-each-ref", "refs/suite")).toBe("");
  });

  it("of nothing says so in both views, and claims no more than it changed", async () => {
    const plain = createHistory();
    const wire = await openGit([plain.root]);
    for (const [tool, note] of [
      ["git_add", "Nothing to stage: these files are as they are in the index."],
      ["git_restore", "Nothing to restore: these files have no such changes."],
    ] as const) {
      // One file is a list of it, by whichever name.
      const response = await callTool(wire, tool, { path: "a.txt" });
      expect(response.result?.["structuredContent"]).toEqual({ note, changed: [] });
      expect(textOf(response)).toBe(note);
    }
    expect(await use(wire, "git_reset")).toMatchObject({ changed: [] });
    expect(await use(wire, "git_reset", { mode: "soft", target: "HEAD" })).toMatchObject({ changed: [] });
  });

  it("of a file that is partly staged says that the rest goes in too", async () => {
    const plain = createDirty();
    const wire = await openGit([plain.root]);
    const { hunks } = await use<{ hunks: { id: string }[] }>(wire, "git_list_hunks");
    await use(wire, "git_stage_hunks", { hunk_ids: [hunks[0]?.id] });
    const args = { msg: "both", files: ["a.txt"] };
    expect(await use(wire, "git_commit", { ...args, dry_run: true })).toMatchObject({
      note: 'Dry run: nothing was changed. "a.txt" was partly staged; its other changes would go in too.',
    });
    const made = await callTool(wire, "git_commit", args);
    expect(textOf(made)).toContain('"a.txt" was partly staged; its other changes went in too.');
    expect(made.result?.["structuredContent"]).toMatchObject({ partly_staged: ["a.txt"] });
    expect(await use(wire, "git_commit", { message: "new", files: "new.txt" })).not.toHaveProperty("note");
  });

  it("of more files than fit names as many as do, and how many there are", async () => {
    const plain = createHistory();
    for (let at = 0; at < 1500; at += 1) plain.write(`a-long-name-for-a-folder/with-a-file-${at}.txt`, "x\n");
    const wire = await openGit(["--max-result", "20000", plain.root]);
    for (const [tool, args] of [
      ["git_add", { files: ["."], dry_run: true }],
      ["git_add", { files: ["."] }],
      ["git_commit", { message: "many" }],
      ["git_checkout", { branch_name: "v1" }],
      ["git_reset", { mode: "hard", target: "main" }],
    ] as const) {
      const response = await callTool(wire, tool, args);
      const told = response.result?.["structuredContent"] as Fields;
      const names = (told["changed"] ?? told["would_change"]) as string[];
      expect(JSON.stringify(told).length, tool).toBeLessThanOrEqual(20_000);
      expect(textOf(response).length, tool).toBeLessThanOrEqual(20_000);
      expect(told["changed_total"], tool).toBeGreaterThanOrEqual(1500);
      expect(names.length, tool).toBeGreaterThan(100);
      expect(textOf(response), tool).toMatch(/and 1,?4\d\d more/);
    }
    expect(wire.stderr).not.toContain("characters, and may have");
  });

  it("of several clients and servers comes one after the other", async () => {
    const plain = createHistory();
    const servers: readonly Wire[] = [await openGit([plain.root]), await openGit([plain.root])];
    const results = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        plain.write(`many/${at}.txt`, `${at}\n`);
        const wire = servers[at % 2] as Wire;
        for (let tries = 0; ; tries += 1) {
          const { result } = await callTool(wire, "git_commit", {
            message: `commit ${at}`,
            files: [`many/${at}.txt`],
          });
          const meta = result?.["_meta"] as
            | { readonly "dev.suite/error"?: { retryable: boolean } }
            | undefined;
          if (result?.["isError"] !== true || !meta?.["dev.suite/error"]?.retryable || tries === 50)
            return result?.["isError"];
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      }),
    );
    expect(results.filter((failed) => failed === true)).toEqual([]);
    expect(plain.git("log", "--format=%s", "-12").split("\n").toSorted()).toEqual(
      Array.from({ length: 12 }, (_, at) => `commit ${at}`).toSorted(),
    );
    expect(plain.git("status", "--porcelain")).toBe("");
  });
});

describe("hunks", () => {
  it("are staged one by one, wherever the server was started, and keep their ids", async () => {
    const plain = createDirty();
    const wire = await openGit(["--repository", plain.root]);
    const subdirectory = join(plain.root, "src");
    interface Hunks {
      readonly hunks: { readonly id: string; readonly path: string; readonly text: string }[];
    }
    const all: Hunks = await use(wire, "git_list_hunks", { repo_path: subdirectory });
    expect(all.hunks.map(({ path }) => path)).toEqual(["a.txt", "a.txt"]);
    const [first, second] = all.hunks;
    const made = await callTool(wire, "git_stage_hunks", { repo_path: subdirectory, ids: [second?.id] });
    expect(textOf(made)).toMatch(/1 hunk staged \(undo with git_undo id: "\d{8}T/);
    expect(plain.git("diff", "--cached", "--", "a.txt")).toContain("+thirty-five");
    expect(plain.git("diff", "--cached", "--", "a.txt")).not.toContain("+three");
    const left: Hunks = await use(wire, "git_list_hunks");
    expect(left.hunks.map(({ id }) => id)).toEqual([first?.id]);
    expect(await fail(wire, "git_stage_hunks", { ids: [second?.id] })).toMatchObject({ code: "not_found" });
    const staged: Hunks = await use(wire, "git_list_hunks", { staged: true, paths: ["a.txt"] });
    expect(staged.hunks.map(({ id }) => id)).toEqual([second?.id]);
    await use(wire, "git_unstage_hunks", { ids: [second?.id] });
    expect(plain.git("diff", "--cached", "--name-only")).toBe("src/one.ts");
  });

  it("of odd contents are staged to the byte", async () => {
    const plain = createHistory();
    const wire = await openGit([plain.root]);
    const content = Buffer.from("no end\r\nlatin \xe9\r\n\ttab", "latin1");
    plain.write("latin.txt", content);
    plain.git("rm", "-q", "--cached", "src/one.ts");
    plain.git("reset", "-q");
    const { hunks } = await use<{ hunks: { id: string }[] }>(wire, "git_list_hunks");
    await use(wire, "git_stage_hunks", { ids: hunks.map(({ id }) => id) });
    expect(plain.bytes("cat-file", "blob", ":latin.txt").equals(content)).toBe(true);
    expect(plain.git("status", "--porcelain")).toBe("M  latin.txt");
  });
});
