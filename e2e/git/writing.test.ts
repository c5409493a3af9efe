import { chmodSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

import { callTool, type Fields, textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { errorOf } from "../support/calls.ts";
import type { Wire } from "../support/wire.ts";
import { createDirty, createHistory, numbered, openHistory } from "./history.ts";
import { failureOf, openGit, resultOf, stateOf, openRepository } from "./program.ts";

describe("a write", () => {
  it("that is refused says why, and changes nothing", async () => {
    const plain = createDirty();
    const wire = await openGit(["--reset-hard", "refuse", plain.root]);
    const before = stateOf(plain);
    const rows: readonly (readonly [string, Fields, string, RegExp])[] = [
      ["git_commit", { message: " " }, "invalid_input", /The message is empty/],
      ["git_commit", { message: "a\0b" }, "invalid_input", /The message holds a NUL/],
      ["git_commit", { message: "x", author: "nobody" }, "invalid_input", /Name <name@example.org>/],
      [
        "git_commit",
        { message: "x", author: "nobody", dry_run: true },
        "invalid_input",
        /Name <name@example/,
      ],
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
      ["git_reset", { files: ["READMEE.md"] }, "not_found", /"READMEE.md" is not tracked/],
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
      const failure = await failureOf(wire, tool, args);
      expect(failure, `${tool} ${JSON.stringify(args)}: ${failure.text}`).toMatchObject({ code });
      expect(failure.text).toMatch(text);
    }
    // Beginning alike makes no tool the one that was meant.
    expect((await callTool(wire, "git_bundle", {})).error?.message).toBe("Unknown tool: git_bundle");
    expect((await callTool(wire, "git_statsu", {})).error?.message).toContain("did you mean git_status?");
    for (const since of ["yesterday", "last week", "2 weeks ago", "2020-01-31"])
      await resultOf(wire, "git_log", { since, file: "a.txt", n: 1 });
    expect(stateOf(plain)).toBe(before);
    expect(plain.git("for-each-ref", "refs/suite")).toBe("");
  });

  it("that fails once it has begun leaves the index as it was", async () => {
    const { plain, fails } = await openHistory();
    plain.git("sparse-checkout", "set", "src");
    plain.write("src/new.txt", "new\n");
    const before = stateOf(plain);
    // Git cannot make out who it is by, which it says once the files are staged.
    plain.git("config", "user.name", ",");
    await fails("git_commit", { message: "m", files: ["."] });
    plain.git("config", "--unset", "user.name");
    expect(stateOf(plain)).toBe(before);
    // As when another git is about to commit.
    plain.write(".git/refs/heads/main.lock", "");
    const locked = await fails("git_commit", { message: "m", files: ["."] });
    expect(locked.code).toBe("unavailable");
    rmSync(join(plain.root, ".git/refs/heads/main.lock"));
    expect(stateOf(plain)).toBe(before);
    plain.write("outside/x.txt", "x\n");
    await fails("git_add", { files: ["."] });
    rmSync(join(plain.root, "outside"), { recursive: true });
    expect(stateOf(plain)).toBe(before);
  });

  it("of nothing says so in both views, and claims no more than it changed", async () => {
    const { call, works } = await openHistory();
    for (const [tool, note] of [
      ["git_add", "Nothing to stage: these files are as they are in the index."],
      ["git_restore", "Nothing to restore: these files have no such changes."],
    ] as const) {
      // One file is a list of it, by whichever name.
      const response = await call(tool, { path: "a.txt" });
      expect(response.result?.["structuredContent"]).toEqual({ note, changed: [] });
      expect(textOf(response)).toBe(note);
    }
    expect(await works("git_reset")).toMatchObject({ changed: [] });
    expect(await works("git_reset", { mode: "soft", target: "HEAD" })).toMatchObject({
      changed: [],
    });
  });

  it("of a message keeps it as it was given, in whatever encoding the repository has its own", async () => {
    const { plain, works } = await openHistory();
    plain.git("config", "i18n.commitEncoding", "ISO-8859-1");
    await works("git_commit", { message: "Grüße", allow_empty: true });
    expect(plain.git("cat-file", "commit", "HEAD")).toContain("Grüße");
    expect(plain.git("cat-file", "commit", "HEAD")).not.toContain("encoding");
  });

  it("of a file that is partly staged says that the rest goes in too", async () => {
    const { call, works } = await openRepository(createDirty);
    const { hunks } = await works<{ hunks: { id: string }[] }>("git_list_hunks");
    await works("git_stage_hunks", { hunk_ids: [hunks[0]?.id] });
    const args = { msg: "both", files: ["a.txt"] };
    expect(await works("git_commit", { ...args, dry_run: true })).toMatchObject({
      note: 'Dry run: nothing was changed. "a.txt" was partly staged; its other changes would go in too.',
    });
    const made = await call("git_commit", args);
    expect(textOf(made)).toContain('"a.txt" was partly staged; its other changes went in too.');
    expect(made.result?.["structuredContent"]).toMatchObject({ partly_staged: ["a.txt"] });
    expect(await works("git_commit", { message: "new", files: "new.txt" })).not.toHaveProperty("note");
  });

  it("of a file that was moved stages both its names", async () => {
    const { plain, works } = await openHistory();
    renameSync(join(plain.root, "a.txt"), join(plain.root, "moved.txt"));
    plain.git("add", "--intent-to-add", "moved.txt");
    const added = await works("git_add", { files: ["."] });
    expect(added).toMatchObject({ changed: ["a.txt", "moved.txt"] });
    expect(plain.git("status", "--porcelain")).toBe("R  a.txt -> moved.txt");
    const made = await works("git_commit", { message: "move" });
    expect(made).toMatchObject({ changed: ["a.txt", "moved.txt"] });
    plain.git("reset", "-q", "--hard", "HEAD~1");
    const merged = await works("git_merge", { target: made["commit"] as string, mode: "squash" });
    expect(merged).toMatchObject({ changed: ["a.txt", "moved.txt"] });
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
    expect(wire.stderr).not.toContain("characters, more than");
  });

  it("of several clients and servers comes one after the other", async () => {
    const plain = createHistory();
    const servers: readonly Wire[] = [await openGit([plain.root]), await openGit([plain.root])];
    const results = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        plain.write(`many/${at}.txt`, `${at}\n`);
        const wire = servers[at % 2] as Wire;
        for (let tries = 0; ; tries += 1) {
          const response = await callTool(wire, "git_commit", {
            message: `commit ${at}`,
            files: [`many/${at}.txt`],
          });
          if (errorOf(response).retryable !== true || tries === 50) return response.result?.["isError"];
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
    const all: Hunks = await resultOf(wire, "git_list_hunks", { repo_path: subdirectory });
    expect(all.hunks.map(({ path }) => path)).toEqual(["a.txt", "a.txt"]);
    const [first, second] = all.hunks;
    const made = await callTool(wire, "git_stage_hunks", { repo_path: subdirectory, ids: [second?.id] });
    expect(textOf(made)).toMatch(/1 hunk staged \(undo id \d{8}T/);
    expect(plain.git("diff", "--cached", "--", "a.txt")).toContain("+thirty-five");
    expect(plain.git("diff", "--cached", "--", "a.txt")).not.toContain("+three");
    const left: Hunks = await resultOf(wire, "git_list_hunks");
    expect(left.hunks.map(({ id }) => id)).toEqual([first?.id]);
    expect(await failureOf(wire, "git_stage_hunks", { ids: [second?.id] })).toMatchObject({
      code: "not_found",
    });
    const staged: Hunks = await resultOf(wire, "git_list_hunks", { staged: true, paths: ["a.txt"] });
    expect(staged.hunks.map(({ id }) => id)).toEqual([second?.id]);
    await resultOf(wire, "git_unstage_hunks", { ids: [second?.id] });
    expect(plain.git("diff", "--cached", "--name-only")).toBe("src/one.ts");
  });

  it("that are a few lines apart are staged each by itself, and long ones are cut", async () => {
    const { plain, works } = await openHistory();
    plain.write("a.txt", numbered(40, { 20: "main", 24: "second", 28: "x".repeat(7000), 32: "third" }));
    const list = await works<{ hunks: { id: string; cut?: true }[]; note: string }>("git_list_hunks");
    expect(list.hunks.map(({ cut }) => cut)).toEqual([undefined, true, undefined]);
    expect(list.note).toBe("Hunks that end in … are cut: git_diff_unstaged shows them whole.");
    const ids = [0, 2].map((at) => list.hunks[at]?.id);
    await works("git_stage_hunks", { ids });
    expect(plain.git("cat-file", "blob", ":a.txt")).toBe(
      numbered(40, { 20: "main", 24: "second", 32: "third" }).trimEnd(),
    );
  });

  it("of hundreds of thousands of lines are staged", async () => {
    const { plain, works } = await openHistory();
    plain.write("a.txt", "x\n".repeat(300_000));
    const { hunks } = await works<{ hunks: { id: string }[] }>("git_list_hunks");
    await works("git_stage_hunks", { ids: hunks.map(({ id }) => id) });
    expect(plain.git("diff", "--name-only")).toBe("");
  });

  it("of odd contents are staged to the byte", async () => {
    const { plain, works } = await openHistory();
    const content = Buffer.from("no end\r\nlatin \xe9\r\n\ttab", "latin1");
    plain.write("latin.txt", content);
    plain.git("rm", "-q", "--cached", "src/one.ts");
    plain.git("reset", "-q");
    const { hunks } = await works<{ hunks: { id: string }[] }>("git_list_hunks");
    await works("git_stage_hunks", { ids: hunks.map(({ id }) => id) });
    expect(plain.bytes("cat-file", "blob", ":latin.txt").equals(content)).toBe(true);
    expect(plain.git("status", "--porcelain")).toBe("M  latin.txt");
  });

  it("that are equal are staged and unstaged each by its own id", async () => {
    const { plain, works } = await openHistory();
    const toText = (...on: number[]): string =>
      [1, 2, 3].map((at) => `{\n1\n2\n3\n${on.includes(at) ? "on\nmore" : "off"}\n4\n5\n6\n}\n`).join("");
    plain.commit("alike", { "alike.txt": toText() });
    plain.write("alike.txt", toText(1, 2, 3));
    for (const [tool, staged, left] of [
      ["git_stage_hunks", false, [toText(1), toText(1, 3), toText(1, 2, 3)]],
      ["git_unstage_hunks", true, [toText(2, 3), toText(2), toText()]],
    ] as const) {
      const { hunks } = await works<{ hunks: { id: string }[] }>("git_list_hunks", { staged });
      for (const [step, at] of [0, 2, 1].entries()) {
        await works(tool, { ids: [hunks[at]?.id] });
        expect(plain.git("cat-file", "blob", ":alike.txt"), `${tool} ${at}`).toBe(left[step]?.trimEnd());
      }
    }
  });

  it("are taken from where they are, without others of their file and without its mode", async () => {
    const { plain, works } = await openHistory();
    const names = ["alike.txt", "trailing ", "voilà"];
    const lines = Array.from({ length: 120 }, (_, at) => ["{", "  on: false", "}", ","][at % 4] ?? "");
    const toText = (...changed: string[]): string => [...changed, ""].join("\n");
    plain.commit("alike", Object.fromEntries(names.map((name) => [name, toText(...lines)])));
    const wanted = toText(...lines.with(41, "  on: true"));
    const whole = toText("1", "2", "3", "4", ...lines.with(41, "  on: true"));
    for (const name of names) {
      plain.write(name, whole);
      chmodSync(join(plain.root, name), 0o755);
      const stage = async (tool: string, staged: boolean): Promise<void> => {
        const { hunks } = await works<{ hunks: { id: string }[] }>("git_list_hunks", {
          staged,
          paths: [name],
        });
        await works(tool, { ids: [hunks[1]?.id] });
      };
      await stage("git_stage_hunks", false);
      expect(plain.git("cat-file", "blob", `:${name}`), name).toBe(wanted.trimEnd());
      expect(plain.git("ls-files", "-s", name)).toMatch(/^100644/);
      plain.git("add", name);
      await stage("git_unstage_hunks", true);
      expect(plain.git("cat-file", "blob", `:${name}`), name).toBe(
        toText("1", "2", "3", "4", ...lines).trimEnd(),
      );
      expect(plain.git("ls-files", "-s", name)).toMatch(/^100755/);
    }
  });
});
