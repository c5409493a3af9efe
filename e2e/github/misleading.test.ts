import { describe, expect, it } from "vitest";

import { openGithub, tryTool } from "./program.ts";
import type { Script, ScriptedReply } from "./scripted-api.ts";
import { useScriptedApi } from "./use-scripted-api.ts";

const repo = { owner: "octo", repo: "app" };
const api = await useScriptedApi();

describe("what would mislead", () => {
  it("is said", async () => {
    const issue = { number: 1, title: "A", user: { login: "x" } };
    const pull = { number: 3, head: { sha: "abc" } };
    const next = { link: '<https://api.github.com/x?page=2>; rel="next"' };
    api.script = {
      "GET /repos/octo/app": { body: { full_name: "octo/app" } },
      "GET /repos/octo/app/branches": { body: [{ name: "main" }] },
      "GET /repos/octo/app/issues": { body: [issue], headers: next },
      "GET /repos/octo/app/pulls/3": { body: pull },
      "GET /repos/octo/app/commits/abc/status": { body: { state: "pending", sha: "abc", statuses: [] } },
      "GET /repos/octo/app/compare/v1...feature%2Fx": {
        // It has the files on its first page, whichever part of the commits is asked for.
        headers: next,
        body: {
          status: "ahead",
          ahead_by: 1,
          commits: [{ sha: "def", commit: { message: "New" } }],
          files: [
            { filename: "a.txt", patch: "@@ -1 +1 @@" },
            { filename: "b.txt", patch: "@@ -2 +2 @@" },
          ],
        },
      },
      "GET /repos/octo/app/pulls/3/files": { body: [{ filename: "a.txt", sha: "def" }] },
      "GET /repos/octo/app/actions/jobs/5/logs": { body: "an error\n" },
      "POST /repos/octo/app/issues/1/comments": { status: 422, body: { message: "Validation Failed" } },
      "PATCH /repos/octo/app/issues/1": { body: issue },
      "GET /repos/octo/app/issues/3": {
        body: { labels: [{ name: "b" }, { name: "a" }], assignees: [{ login: "x" }] },
      },
      "GET /repos/octo/app/issues/3/comments": { body: [{ id: 1, body: "Hello" }] },
      "GET /repos/octo/app/git/ref/heads/main": { body: { object: { sha: "abc" } } },
      "GET /repos/octo/app/git/trees/abc": { body: { tree: [{ path: "src/a\n.txt", mode: "100644" }] } },
      "GET /repos/octo/app/contents/src": { body: [{ name: "a.txt", type: "file" }] },
      "GET /repos/octo/app/pulls/3/reviews": { body: [{ node_id: "PRR_1", state: "PENDING" }] },
      "POST /repos/octo/app/pulls/3/reviews": {
        status: 422,
        body: { message: "Unprocessable Entity", errors: ["Line could not be resolved"] },
      },
      "POST /graphql": ({ body }) => {
        const pullRequest = { repository: { nameWithOwner: "octo/app" } };
        const isQuestion = !body.includes("addPullRequestReviewThread");
        const data = isQuestion
          ? { node: { pullRequest } }
          : { addPullRequestReviewThread: { thread: null } };
        return { body: { data } };
      },
    };
    const wire = await openGithub(api.url, ["--toolsets", "all"]);
    const ask = (tool: string, args: object): ReturnType<typeof tryTool> =>
      tryTool(wire, tool, { ...repo, ...args });
    const refused = await ask("add_issue_comment", { issue_number: 1, comment: "Hello" });
    expect(refused.error?.["hint"]).toContain("GitHub did not say which argument is wrong.");
    const lost = await ask("get_file_contents", { path: "README.md", ref: "nobranch" });
    expect(lost.text).toContain("There is no branch, tag or commit nobranch in octo/app.");
    const absent = await ask("delete_file", { path: "src/a.txt", branch: "main", message: "Away" });
    expect(absent.error?.["hint"]).toBe("Did you mean src/a\\n.txt?");
    const commits = await ask("list_commits", { sha: "nobranch" });
    expect(commits.text).toContain("There is no branch, tag or commit nobranch in octo/app.");
    const since = await ask("list_commits", { base: "v1", detail: "full", head: "feature/x" });
    expect(since.structured).toMatchObject({
      item: { status: "ahead", ahead_by: 1 },
      items: [{ sha: "def", message: "New" }],
    });
    const changed = { base: "v1", head: "feature/x", limit: 1 };
    const firstFile = await ask("get_commit", changed);
    expect(firstFile.structured).toMatchObject({
      item: { ahead_by: 1 },
      items: [{ filename: "a.txt" }],
      total: 2,
    });
    expect(firstFile.text).toContain("From v1 to feature/x, 1 of 2 files:");
    const { next_cursor: cursor } = firstFile.structured;
    const lastFile = await ask("get_commit", { ...changed, cursor });
    expect(lastFile.structured["items"]).toEqual([{ filename: "b.txt" }]);
    expect(lastFile.structured).not.toHaveProperty("next_cursor");
    const patches = await ask("get_commit", { ...changed, limit: 2, detail: "full" });
    expect(patches.structured["items"]).toMatchObject([{ patch: "@@ -1 +1 @@" }, { filename: "b.txt" }]);
    const none = await ask("get_commit", { ...changed, detail: "none" });
    expect(none.structured).toEqual({ item: { status: "ahead", ahead_by: 1 }, untrusted: ["item"] });
    expect((await ask("compare_commits", {})).error?.["message"]).toContain("did you mean get_commit?");
    expect((await ask("get_latest_release", {})).text).toContain("There is no published release in octo/app");
    const comments = [{ path: "a.txt", start_line: 98, line: 99, side: "LEFT", body: "Why?" }];
    for (const method of ["create", "add_comments"]) {
      const off = await ask("pull_request_review_write", { pull_number: 3, method, comments });
      expect(off.error, method).toMatchObject({
        code: "invalid_input",
        hint: expect.stringContaining("on a line of the diff") as string,
      });
    }
    expect(JSON.parse(api.asked.at(-1)?.body ?? "")).toMatchObject({
      variables: { startLine: 98, startSide: "LEFT", line: 99, side: "LEFT" },
    });
    const review = { pull_number: 3, method: "create", comments, dry_run: true };
    const planned = await ask("pull_request_review_write", review);
    expect(planned.structured["would_change"]).toEqual(["A pending review of octo/app#3, 1 comment"]);
    const labelled = await ask("issue_write", { method: "update", issue_number: 1, labels: ["a"] });
    expect(labelled.structured["changed"]).toEqual(["labels of octo/app#1, changed"]);
    const lists = { labels: ["B", "c"], assignees: [], dry_run: true };
    const replaced = await ask("issue_write", { method: "update", pull_number: 3, ...lists });
    expect(replaced.structured).toMatchObject({
      untrusted: ["diff"],
      diff: expect.stringMatching(
        /labels before\n[^]*\n-a\n b\n\+c\n--- assignees before\n[^]*\n-x\n/,
      ) as string,
      request: { body: { labels: ["B", "c"], assignees: [] } },
    });
    const given = { title: "A", labels: ["A", "a", "b "], assignees: ["x"], type: "bug", milestone: 2 };
    const taken = { ...issue, labels: [{ name: "b" }, { name: "a" }], assignees: [{ login: "X" }] };
    const kinds = { type: { name: "Bug" }, milestone: { number: 2 } };
    for (const [answer, left] of [
      [{ ...taken, ...kinds }, undefined],
      [
        { ...taken, labels: [], assignees: [], type: null, milestone: null },
        ["labels", "assignees", "milestone", "type"],
      ],
      [{ ...taken, ...kinds, labels: [{ name: "a" }] }, ["labels"]],
      [{ ...taken, ...kinds, assignees: [] }, ["assignees"]],
    ] as const) {
      api.script = { ...api.script, "POST /repos/octo/app/issues": { status: 201, body: answer } };
      const made = await ask("issue_write", { method: "create", ...given });
      expect(made.error?.["details"]).toEqual(left && { number: 1, left_out: left });
    }
    // By its own name it is not in any answer.
    const bot = { ...given, assignees: ["copilot-swe-agent[bot]"] };
    api.script = {
      ...api.script,
      "POST /repos/octo/app/issues": { status: 201, body: { ...taken, ...kinds } },
    };
    expect((await ask("issue_write", { method: "create", ...bot })).error).toBeUndefined();
    expect((await ask("get_file_contents", { path: "src" })).text).toContain("src: 1 entry\n");
    const issues = await ask("list_issues", { fields: ["author", "nosuch"], limit: 1 });
    expect(issues.structured["items"]).toEqual([{ author: "x" }]);
    expect(issues.text).toContain('Unknown or empty: "nosuch".');
    expect(issues.text).toContain("1 issue, and more in octo/app:");
    const said = await ask("pull_request_read", { pull_number: 3, method: "get_comments", path: "src" });
    expect(said.structured["items"]).toHaveLength(1);
    const status = await ask("pull_request_read", { pull_number: 3, method: "get_status" });
    expect(status.structured["item"]).toEqual({ state: "none", sha: "abc" });
    for (const words of [status.text, status.structured["note"]])
      expect(words).toContain("There are no commit statuses: CI may report to get_check_runs instead.");
    const noted = await ask("add_issue_comment", { pull_number: 3, body: "Hello", dry_run: true });
    expect(noted.structured["request"]).toMatchObject({ path: "/repos/octo/app/issues/3/comments" });
    const files = async (more: object): Promise<unknown> =>
      (await ask("pull_request_read", { pull_number: 3, method: "get_files", ...more })).structured["items"];
    expect(await files({})).toEqual([{ filename: "a.txt" }]);
    expect(await files({ detail: "full" })).toEqual([{ filename: "a.txt", sha: "def" }]);
    expect((await ask("get_job_logs", { job_id: 5, grep: "error|expected" })).text).toContain(
      "grep is plain text, not a pattern",
    );
  });

  it("is refused", async () => {
    api.script = {
      "GET /repos/octo/app/commits": { body: [] },
      "GET /repos/octo/app/pulls": { body: [] },
      "GET /search/issues": { body: { total_count: 0, items: [] } },
    };
    const wire = await openGithub(api.url, ["--toolsets", "all"]);
    for (const [tool, args] of [
      ["list_issues", { since: "last week" }],
      ["list_commits", { since: "yesterday" }],
      ["list_commits", { until: "2026-02-31T99:00:00Z" }],
      ["list_notifications", { before: "yesterday" }],
    ] as const) {
      const { error } = await tryTool(wire, tool, { ...repo, ...args });
      expect(error).toMatchObject({
        code: "invalid_input",
        hint: expect.stringContaining("2026-01-31") as string,
      });
    }
    const other = await tryTool(wire, "search_issues", { query: "repo:octo/app is:pr" });
    expect(other.error).toMatchObject({ code: "invalid_input", hint: "Use search_pull_requests." });
    const reversed = { ...repo, path: "a.txt", start_line: 3, end_line: 1 };
    const backwards = await tryTool(wire, "get_file_contents", reversed);
    expect(backwards.text).toBe("end_line 1 is before start_line 3.");
    const lone = await tryTool(wire, "list_notifications", { owner: "octo" });
    expect(lone.error).toMatchObject({ code: "invalid_input" });
    const both = await tryTool(wire, "list_commits", { ...repo, base: "v1", path: "a.txt" });
    expect(both.text).toContain("base cannot be combined with path");
    const same = await tryTool(wire, "label_write", { ...repo, method: "update", name: "bug" });
    expect(same.error).toMatchObject({ code: "invalid_input" });
    expect(api.asked).toEqual([]);
    await tryTool(wire, "search_issues", { query: "-is:pr" });
    await tryTool(wire, "search_issues", { query: "a OR b", ...repo });
    expect(new URL(api.asked.at(-1)?.path ?? "", api.url).searchParams.get("q")).toBe(
      "(a OR b) is:issue repo:octo/app",
    );
    const limited = await openGithub(api.url, ["--repos", "octo/app"]);
    for (const [to, ending] of [
      [wire, ""],
      [limited, " repo:octo/app"],
    ] as const) {
      await tryTool(to, "search_issues", { query: 'language:c++ "a+b" & 100%' });
      expect(new URL(api.asked.at(-1)?.path ?? "", api.url).searchParams.get("q")).toBe(
        `language:c++ "a+b" & 100% is:issue${ending}`,
      );
    }
    // GitHub takes no notice of a branch without its owner.
    await tryTool(wire, "list_pull_requests", { ...repo, head: "feature" });
    expect(api.asked.at(-1)?.path).toContain(`head=${encodeURIComponent("octo:feature")}`);
    await tryTool(wire, "list_commits", { ...repo, since: "2026-01-31" });
    expect(api.asked.at(-1)?.path).toContain(encodeURIComponent("2026-01-31T00:00:00Z"));
    expect(api.asked).toHaveLength(6);
  });

  it("does not end with the first page", async () => {
    const range = <T>(length: number, toItem: (at: number) => T): T[] =>
      Array.from({ length }, (_, at) => toItem(at + 1));
    const inPages =
      (items: readonly unknown[], itemsIn?: string): Script[string] =>
      ({ path }) => {
        const { searchParams } = new URL(path, api.url);
        const page = Number(searchParams.get("page"));
        const size = Number(searchParams.get("per_page"));
        const part = items.slice((page - 1) * size, page * size);
        const next = { link: `<${api.url}/next>; rel="next"` };
        return {
          body: itemsIn === undefined ? part : { total_count: items.length, [itemsIn]: part },
          ...(page * size < items.length && { headers: next }),
        };
      };
    const job = (id: number): object => ({
      id,
      name: `job${id}`,
      conclusion: id > 115 ? "failure" : "success",
    });
    const reviews = range(101, (id) => ({
      id,
      node_id: `PRR_${id}`,
      state: id > 100 ? "PENDING" : "COMMENTED",
    }));
    api.script = {
      "GET /repos/octo/app/pulls/3/reviews": inPages(reviews),
      "GET /repos/octo/app/actions/runs/5/jobs": inPages(range(130, job), "jobs"),
      ...Object.fromEntries(
        range(130, (id) => [`GET /repos/octo/app/actions/jobs/${id}/logs`, { body: `line of ${id}\n` }]),
      ),
      "GET /repos/octo/app/issues/9": { body: { number: 9, title: "Long" } },
      "GET /repos/octo/app/issues/9/comments": inPages(range(150, (id) => ({ id, body: `Comment ${id}.` }))),
      "GET /repos/octo/app/issues/10": { body: { number: 10, title: "Longer" } },
      "GET /repos/octo/app/issues/10/comments": inPages(
        range(1001, (id) => ({ id, body: `Comment ${id}.` })),
      ),
      // As many as GitHub gives at most.
      "GET /repos/octo/app/pulls/3/commits": { body: range(250, () => ({})) },
      "GET /search/code": { body: { total_count: 5000, items: range(1000, () => ({})) } },
      "GET /search/repositories": { body: { total_count: 1000, items: range(1000, () => ({})) } },
      "GET /repos/octo/app/contents/many": {
        body: range(1000, (id) => ({ name: `${id}`, path: `many/${id}`, type: "file" })),
      },
      "GET /search/issues": {
        body: { total_count: 1, incomplete_results: true, items: [{ number: 1, title: "A" }] },
      },
    };
    const wire = await openGithub(api.url, ["--toolsets", "all"]);
    const ask = (tool: string, args: object): ReturnType<typeof tryTool> =>
      tryTool(wire, tool, { ...repo, ...args });
    const askLast = async (tool: string, args: object): ReturnType<typeof tryTool> => {
      let found = await ask(tool, { ...args, limit: 100 });
      while (found.structured["next_cursor"] !== undefined)
        found = await ask(tool, { ...args, limit: 100, cursor: found.structured["next_cursor"] });
      return found;
    };
    const review = { pull_number: 3, method: "delete_pending", dry_run: true };
    expect((await ask("pull_request_review_write", review)).structured).toMatchObject({
      request: { path: "/repos/octo/app/pulls/3/reviews/101" },
    });
    expect((await ask("get_job_logs", { run_id: 5, job_name: "job120" })).text).toContain("line of 120");
    const failed = await ask("get_job_logs", { run_id: 5 });
    for (const said of [failed.text, failed.structured["note"]])
      expect(said).toContain("The first 10 of 15 jobs; job_name reads another.");
    expect(failed.text).toMatch(/line of 116[^]*line of 125/);
    expect(failed.structured).toMatchObject({ total: 15, truncated: true });
    const read = async (uri: string): Promise<string> =>
      JSON.stringify(await wire.request("resources/read", { uri: `repo://octo/app/${uri}` }));
    expect(await read("issues/9")).toContain("Comment 150.");
    expect(await read("issues/10")).toContain("There are more comments than these 1000");
    expect(await read("actions/runs/5/logs")).toContain("There are more jobs than these 100");
    const entries = await ask("get_file_contents", { path: "many" });
    for (const said of [entries.text, entries.structured["note"], await read("contents/many")])
      expect(said).toContain("GitHub lists 1,000 entries of a directory at most");
    for (const [tool, args] of [
      ["search_issues", { query: "x" }],
      ["search_code", { query: "x" }],
      ["pull_request_read", { pull_number: 3, method: "get_commits" }],
    ] as const) {
      const found = await askLast(tool, args);
      expect(found.structured, tool).toMatchObject({ truncated: true });
      expect(found.text).toContain("some results did not fit, or GitHub does not return them");
    }
    const whole = await askLast("search_repositories", { query: "x", owner: undefined, repo: undefined });
    expect(whole.structured).toMatchObject({ total: 1000 });
    expect(whole.structured).not.toHaveProperty("truncated");
  });

  it("is not left unsaid of a pull request that is changed in part", async () => {
    const at = "/repos/octo/app/pulls";
    const pull = { number: 3, node_id: "PR_3", draft: false, html_url: "https://github.com/octo/app/pull/3" };
    const refused = { type: "FORBIDDEN", message: "Draft pull requests are not supported" };
    let draft: ScriptedReply = { body: { data: null, errors: [refused] } };
    api.script = {
      [`POST ${at}`]: { status: 201, body: pull },
      [`GET ${at}/3`]: { body: pull },
      [`PATCH ${at}/3`]: { body: pull },
      [`POST ${at}/3/requested_reviewers`]: { status: 422, body: { message: "Not a collaborator" } },
      "POST /graphql": ({ body }) =>
        body.includes("resolve")
          ? { body: { data: { node: { repository: { nameWithOwner: "octo/app" } } } } }
          : draft,
    };
    const wire = await openGithub(api.url);
    const update = (args: object): ReturnType<typeof tryTool> =>
      tryTool(wire, "update_pull_request", { ...repo, pull_number: 3, ...args });
    const undrafted = await update({ title: "New", state: "closed", draft: true });
    expect(undrafted.error).toMatchObject({
      code: "permission_denied",
      retryable: false,
      details: { changed: ["title", "state"] },
      hint: expect.stringMatching(/^Give only the rest again\. The token is not allowed/) as string,
    });
    expect(undrafted.text).toContain(
      "title, state of octo/app#3 changed, but it could not become a draft: GitHub refused",
    );
    const dry = await update({ draft: true, dry_run: true });
    expect(dry.structured["request"]).toMatchObject({
      path: "/graphql",
      body: { variables: { id: "PR_3" } },
    });
    const asked = await update({ draft: false, reviewers: ["mona"], dry_run: true });
    expect(asked.structured["request"]).toMatchObject({ path: `${at}/3/requested_reviewers` });
    expect((await update({ draft: false })).structured["changed"]).toEqual([]);
    const titled = await update({ title: "New", draft: false });
    expect(titled.structured["changed"]).toEqual(["title of octo/app#3, changed"]);
    const first = await update({ draft: true });
    expect(first.text).not.toContain("changed, but");
    draft = { body: { data: {} } };
    const unasked = await update({ draft: true, reviewers: ["mona"] });
    expect(unasked.error).toMatchObject({ details: { changed: ["draft"], status: 422 } });
    expect(unasked.text).toContain("draft of octo/app#3 changed, but its reviewers could not be asked");
    const made = await tryTool(wire, "create_pull_request", {
      ...repo,
      title: "T",
      head: "a",
      base: "main",
      reviewers: ["mona"],
    });
    expect(made.error).toMatchObject({ retryable: false, details: { number: 3 } });
    expect(made.text).toContain(`${pull.html_url} is there, but its reviewers could not be asked`);
  });
});
