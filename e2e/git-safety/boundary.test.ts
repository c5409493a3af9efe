import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { callTool, textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { createHistory } from "../git/history.ts";
import { failureOf, openGit, Plain, resultOf } from "../git/program.ts";
import { errorOf } from "../support/calls.ts";
import { createPlace } from "../support/place.ts";
import { createOutside, SECRET } from "./outside.ts";

describe("a path that is asked for", () => {
  it("leads nowhere but into the repositories", async () => {
    const place = createPlace();
    const outside = createOutside(place);
    const inside = createHistory(join(place, "inside"));
    const twin = Plain.init(join(place, "inside-evil"));
    symlinkSync(outside.root, join(inside.root, "link"));
    const wire = await openGit(["--all-tools", inside.root]);
    const paths = [
      outside.root,
      twin.root,
      place,
      "..",
      "../outside",
      `${inside.root}/../outside`,
      join(inside.root, "link"),
      "/",
      "/etc",
      "~",
      "file:///etc",
      "\0",
      "a\0b",
    ];
    for (const path of paths) {
      const failure = await failureOf(wire, "git_status", { repo_path: path });
      expect(["permission_denied", "not_found", "invalid_input"], `${path}: ${failure.text}`).toContain(
        failure.code,
      );
      expect(failure.text).not.toContain(SECRET);
    }
    for (const path of [
      "../outside/secret.txt",
      `${outside.root}/secret.txt`,
      "link/secret.txt",
      ".git/config",
      "src/../../outside/secret.txt",
      ".GIT/config",
    ]) {
      for (const [tool, args] of [
        ["git_read_file", { path }],
        ["git_blame", { path }],
        ["git_add", { files: [path] }],
        ["git_restore", { files: [path] }],
      ] as const) {
        const { result } = await callTool(wire, tool, args);
        expect(
          result?.["isError"] === true ||
            (result?.["structuredContent"] as { changed?: string[] } | undefined)?.changed?.length === 0,
          `${tool} ${path}`,
        ).toBe(true);
        expect(JSON.stringify(result)).not.toContain(SECRET);
      }
    }
    expect(inside.git("status", "--porcelain")).toBe("?? link");
  });

  it("of a bare repository hidden in a work tree is not picked up on the way", async () => {
    const plain = createHistory();
    const nested = Plain.init(join(plain.root, "nested"), "--bare");
    writeFileSync(join(nested.root, "config"), "[core]\n\tbare = true\n\tfsmonitor = touch /tmp/never\n");
    const wire = await openGit([plain.root]);
    const status = await resultOf(wire, "git_status", { repo_path: join(nested.root, "refs", "heads") });
    expect(status).toMatchObject({ branch: "main", head: plain.git("rev-parse", "--short=10", "HEAD") });
    const { code } = await failureOf(wire, "git_status", { repo_path: nested.root });
    expect(code).toBe("permission_denied");
  });

  it("for something new is in nobody's git directory", async () => {
    const place = createPlace();
    const mine = createHistory(join(place, "mine"));
    createHistory(join(place, "other"));
    Plain.init(join(place, "srv.git"), "--bare");
    const wire = await openGit(["--all-tools", "--allow-network", "--allow-dir", place]);
    for (const path of ["other/.git/new", "srv.git/new", "srv.git/refs/heads/new", "mine/.git/new"]) {
      for (const [tool, args] of [
        ["git_worktree", { repo_path: "mine", action: "add" }],
        ["git_clone", { url: mine.root }],
        ["git_init", {}],
      ] as const) {
        const { code, text } = await failureOf(wire, tool, { ...args, path: join(place, path) });
        expect(code, `${tool} ${path}: ${text}`).toBe("invalid_input");
      }
      expect(existsSync(join(place, path))).toBe(false);
    }
  });

  it("is inside the client's roots where they are all there is", async () => {
    const place = createPlace();
    const outside = createOutside(place);
    const inside = createHistory(join(place, "inside"));
    const wire = await openGit([], { revision: "2025-11-25", capabilities: { roots: {} } });
    wire.answer("roots/list", () => ({ roots: [{ uri: `file://${inside.root}` }] }));
    expect(await resultOf(wire, "git_status")).toMatchObject({ branch: "main" });
    expect(await failureOf(wire, "git_status", { repo_path: outside.root })).toMatchObject({
      code: "permission_denied",
    });
    const without = await openGit([], { revision: "2025-11-25" });
    expect(await failureOf(without, "git_status")).toMatchObject({ code: "unavailable" });
  });
});

describe("an argument", () => {
  const HOSTILE = [
    "--output=/tmp/suite-git-pwned",
    "-c",
    "--upload-pack=touch x",
    "-O/tmp/x",
    "--exec=x",
    "-",
    "--",
    "--git-dir=/etc",
    ":(exclude)*",
    ":!a",
    "$(touch x)",
    "`x`",
    "; touch x",
    "a\nb",
    "HEAD:a.txt",
    "\u202E",
    "x".repeat(2000),
  ];
  const SLOTS: readonly (readonly [tool: string, toArgs: (value: string) => object])[] = [
    ["git_diff", (target) => ({ target })],
    ["git_diff", (value) => ({ target: `HEAD..${value}` })],
    ["git_diff_unstaged", (value) => ({ paths: [value] })],
    ["git_log", (range) => ({ range })],
    [
      "git_log",
      (value) => ({ grep: value, author: value, since: value, until: value, search: value, paths: [value] }),
    ],
    ["git_show", (revision) => ({ revision })],
    ["git_branch", (contains) => ({ contains })],
    ["git_blame", (value) => ({ path: value })],
    ["git_blame", (revision) => ({ path: "a.txt", revision })],
    ["git_grep", (pattern) => ({ pattern })],
    ["git_grep", (revision) => ({ pattern: "x", revision, paths: [revision] })],
    ["git_read_file", (value) => ({ path: value, revision: value })],
    ["git_list_files", (value) => ({ revision: value, paths: [value] })],
    ["git_reflog", (ref) => ({ ref })],
    ["git_add", (value) => ({ files: [value] })],
    ["git_commit", (value) => ({ message: value, author: value, files: [value] })],
    ["git_reset", (target) => ({ target })],
    ["git_reset", (value) => ({ files: [value] })],
    ["git_restore", (value) => ({ files: [value], source: value })],
    ["git_create_branch", (value) => ({ branch_name: value, base_branch: value })],
    ["git_checkout", (value) => ({ branch_name: value })],
    ["git_undo", (id) => ({ id })],
    ["git_stage_hunks", (id) => ({ ids: [id] })],
  ];

  it("is never more than what it says", async () => {
    const plain = createHistory();
    const wire = await openGit(["--all-tools", plain.root]);
    const before = [
      plain.git("rev-parse", "HEAD"),
      plain.git("status", "--porcelain"),
      plain.git("config", "--list", "--local"),
    ].join("\n");
    const internal: string[] = [];
    for (const [tool, toArgs] of SLOTS) {
      for (const value of HOSTILE) {
        const response = await callTool(wire, tool, toArgs(value) as never);
        if (errorOf(response).code === "internal") internal.push(`${tool} ${value}: ${textOf(response)}`);
      }
    }
    // Whatever git says to it, we know what it means.
    expect(internal).toEqual([]);
    // Nothing was made, moved or left.
    expect(
      [
        plain.git("rev-parse", "HEAD"),
        plain.git("status", "--porcelain"),
        plain.git("config", "--list", "--local"),
      ].join("\n"),
    ).toBe(before);
    expect(plain.git("for-each-ref", "refs/heads", "--format=%(refname:short)").split("\n")).toEqual([
      "clean",
      "feature",
      "main",
    ]);
  });
});
