import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Fields } from "../support/message.ts";
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
    expect(range).toMatchObject({ text: "TWO\nthree", start_line: 2, end_line: 3, total_lines: 3 });
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
