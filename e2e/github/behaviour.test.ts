import type { Fields } from "@suite/check/wires";
import { type JsonValue, toCursor } from "@suite/server-kit/domain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Wire } from "../support/wire.ts";
import { type EmulatedApi, startEmulatedApi } from "./emulated-api.ts";
import { openGithub, tryTool } from "./program.ts";

let api: EmulatedApi;
beforeAll(async () => {
  api = await startEmulatedApi();
});
afterAll(() => api.close());

const repo = { owner: "octo", repo: "app" };
const open = (args: readonly string[] = ["--toolsets", "all"]): Promise<Wire> =>
  openGithub(api.url, args, { env: { GITHUB_TOKEN: api.token } });

/** The structured result of a call that went well. */
async function done(wire: Wire, tool: string, args: Fields): Promise<Fields> {
  const { structured, error, text } = await tryTool(wire, tool, args);
  expect(error, text).toBeUndefined();
  return structured;
}

const itemOf = (result: Fields): Fields => result["item"] as Fields;

describe("with a GitHub that remembers", () => {
  it("an issue is made, changed, discussed and closed", async () => {
    const wire = await open();
    const dry = await done(wire, "issue_write", { ...repo, method: "create", title: "A bug", dry_run: true });
    expect(dry).toMatchObject({
      dry_run: true,
      request: { method: "POST", path: "/repos/octo/app/issues", body: { title: "A bug" } },
    });
    expect((await done(wire, "list_issues", repo))["items"]).toEqual([]);
    await done(wire, "label_write", { ...repo, method: "create", name: "bug", color: "ff0000" });
    const made = await done(wire, "issue_write", {
      ...repo,
      method: "create",
      title: "A bug",
      body: "It breaks",
      labels: ["bug"],
    });
    const issue_number = itemOf(made)["number"];
    expect(made).toMatchObject({
      url: expect.stringContaining(`/octo/app/issues/${String(issue_number)}`) as string,
    });
    await done(wire, "add_issue_comment", { ...repo, issue_number, body: "Seen" });
    await done(wire, "issue_write", {
      ...repo,
      method: "update",
      issue_number,
      state: "closed",
      state_reason: "completed",
    });
    expect(itemOf(await done(wire, "issue_read", { ...repo, issue_number }))).toMatchObject({
      title: "A bug",
      state: "closed",
      labels: ["bug"],
      body: "It breaks",
    });
    const comments = await done(wire, "issue_read", { ...repo, issue_number, method: "get_comments" });
    expect(comments["items"]).toMatchObject([{ body: "Seen", author: "octo" }]);
    expect(
      (await done(wire, "list_issues", { ...repo, state: "closed", fields: ["title", "user.login"] }))[
        "items"
      ],
    ).toEqual([{ title: "A bug", "user.login": "octo" }]);
  });

  it("a branch gets files, edits and a pull request, which is reviewed and merged", async () => {
    const wire = await open();
    const branch = "feature/parts";
    await done(wire, "create_branch", { ...repo, branch });
    const file = { ...repo, path: "src/a b.txt", branch, message: "Write" };
    const first = itemOf(
      await done(wire, "create_or_update_file", { ...file, content: "one\ntwo\nthree\n" }),
    )["sha"];
    const edits = [{ old_text: "two", new_text: "TWO" }];
    const second = itemOf(await done(wire, "edit_file", { ...file, sha: first, edits }))["sha"];
    const stale = await tryTool(wire, "edit_file", { ...file, sha: first, edits });
    expect(stale.error).toMatchObject({ code: "conflict", details: { sha: second } });
    const twice = await tryTool(wire, "create_or_update_file", { ...file, content: "x", sha: first });
    expect(twice.error).toMatchObject({ code: "conflict", details: { sha: second } });
    const missing = await tryTool(wire, "edit_file", {
      ...file,
      edits: [{ old_text: "four", new_text: "x" }],
    });
    expect(missing.error).toMatchObject({ code: "not_found" });
    const range = await done(wire, "get_file_contents", {
      ...repo,
      path: file.path,
      ref: branch,
      start_line: 2,
      end_line: 3,
    });
    expect(range).toMatchObject({ text: "TWO\nthree\n", start_line: 2, end_line: 3, total_lines: 3 });
    const files = [
      { path: "b.txt", content: "b\n" },
      { path: "src/a b.txt", delete: true },
    ];
    await done(wire, "push_files", { ...repo, branch, message: "Both", files });
    const { items } = await done(wire, "get_repository_tree", { ...repo, tree_sha: branch, recursive: true });
    const blobs = (items as { path: string; type: string }[]).filter(({ type }) => type === "blob");
    expect(blobs.map(({ path }) => path).toSorted()).toEqual(["README.md", "b.txt"]);
    const pull = itemOf(
      await done(wire, "create_pull_request", { ...repo, title: "Parts", head: branch, base: "main" }),
    );
    const pull_number = pull["number"];
    await done(wire, "pull_request_review_write", {
      ...repo,
      pull_number,
      method: "create",
      event: "COMMENT",
      body: "Good",
    });
    expect(
      (await done(wire, "pull_request_read", { ...repo, pull_number, method: "get_reviews" }))["items"],
    ).toMatchObject([{ body: "Good" }]);
    await done(wire, "merge_pull_request", { ...repo, pull_number, merge_method: "squash" });
    expect(itemOf(await done(wire, "pull_request_read", { ...repo, pull_number }))).toMatchObject({
      merged: true,
    });
    expect(await done(wire, "get_file_contents", { ...repo, path: "b.txt" })).toMatchObject({ text: "b\n" });
  });

  it("a dry run refuses what would be refused, and shows what would change", async () => {
    const wire = await open();
    const branch = "dry";
    await done(wire, "create_branch", { ...repo, branch_name: branch, base: "main" });
    const text = Array.from({ length: 20 }, (_, at) => `line ${at}\n`).join("");
    const file = { ...repo, path: "src/long.txt", branch, message: "Write" };
    const sha = itemOf(await done(wire, "create_or_update_file", { ...file, content: text }))["sha"];
    const dry = { dry_run: true };
    const edits = [{ old_text: "line 9\n", new_text: "line nine\n" }];
    const shown = await tryTool(wire, "edit_file", { ...file, ...dry, edits });
    const diff = [
      "--- a/src/long.txt\n+++ b/src/long.txt\n@@ -7,7 +7,7 @@\n line 6\n line 7\n line 8\n",
      "-line 9\n+line nine\n line 10\n line 11\n line 12\n",
    ].join("");
    expect(shown.structured).toMatchObject({ diff, untrusted: ["diff"] });
    expect(shown.structured["request"]).toEqual({
      method: "PUT",
      path: "/repos/octo/app/contents/src/long.txt",
      body: { branch, message: "Write", sha },
    });
    expect(shown.text).toContain("-line 9\n+line nine\n");
    const ends = [
      { old_text: "line 0\n", new_text: "" },
      { old_text: "line 19\n", new_text: "line 19\nline 20\n" },
    ];
    const apart = await done(wire, "edit_file", { ...file, ...dry, edits: ends });
    expect(String(apart["diff"]).match(/^(?:@@.*|[-+]line.*)$/gm)).toEqual([
      "@@ -1,4 +1,3 @@",
      "-line 0",
      "@@ -18,3 +17,4 @@",
      "+line 20",
    ]);
    const fresh = await done(wire, "create_or_update_file", { ...file, ...dry, path: "new", content: "a" });
    expect(fresh["diff"]).toBe(
      "--- /dev/null\n+++ b/new\n@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file\n",
    );
    const refused: readonly (readonly [string, Fields, Fields])[] = [
      ["create_or_update_file", { ...file, content: "x" }, { code: "conflict", details: { sha } }],
      ["create_branch", { ...repo, branch }, { code: "conflict" }],
      [
        "push_files",
        { ...repo, branch, message: "Away", files: [{ path: "absent", delete: true }] },
        { code: "not_found", hint: "Leave these out, or correct their paths." },
      ],
      ["edit_file", { ...file, branch: "dyr", edits }, { code: "not_found", hint: "Did you mean dry?" }],
      [
        "delete_file",
        { ...file, path: "zebra" },
        { code: "not_found", hint: "get_file_contents with the path of a directory lists what there is." },
      ],
      ["edit_file", { ...file, path: "src/lnog.txt", edits }, { hint: "Did you mean src/long.txt?" }],
    ];
    for (const [tool, args, error] of refused) {
      for (const more of [dry, {}]) {
        expect.soft((await tryTool(wire, tool, { ...args, ...more })).error, tool).toMatchObject(error);
      }
    }
  });

  it("a forged cursor leads nowhere", async () => {
    const wire = await open();
    // They hold no secret: whoever reads the code can make one.
    const forge = (place: JsonValue): string => toCursor(place, ["/repos/{owner}/{repo}/branches", repo, []]);
    const list = async (place: JsonValue): Promise<unknown> =>
      (await tryTool(wire, "list_branches", { ...repo, cursor: forge(place) })).error?.["code"];
    expect(await list([1, 0, 0, 30, ""])).toBeUndefined();
    for (const place of [
      7,
      null,
      "x",
      {},
      [],
      [1, 0, 0, 30],
      [-1, 0, 0, 30, ""],
      [0, 0, 0, 30, ""],
      [1, 0, 0, 0, ""],
      [1, 0, 0, 1e9, ""],
      [1, 0, 1e300, 30, ""],
      [1, 0, 0, 30, 2],
      ["1", "0", "0", "30", ""],
      [[1], [0], [0], [30], [""]],
    ]) {
      expect([place, await list(place)]).toEqual([place, "invalid_input"]);
    }
  });

  it("with one repository, nobody names it", async () => {
    const wire = await open(["--repos", "octo/app"]);
    expect(await done(wire, "get_file_contents", { path: "README.md" })).toMatchObject({ path: "README.md" });
    expect((await done(wire, "list_commits", {}))["items"]).not.toEqual([]);
    const { error } = await tryTool(wire, "get_file_contents", {
      owner: "octo",
      repo: "secret",
      path: "README.md",
    });
    expect(error).toMatchObject({ code: "permission_denied" });
  });
});
