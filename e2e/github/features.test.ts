import { countTokens } from "gpt-tokenizer";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { listTools } from "../support/calls.ts";
import { openGithub, runGithub, TOKEN, tryTool } from "./program.ts";
import { type ScriptedApi, startScriptedApi } from "./scripted-api.ts";

const repo = { owner: "octo", repo: "app" };
let api: ScriptedApi;
beforeAll(async () => {
  api = await startScriptedApi();
});
beforeEach(() => {
  api.asked.length = 0;
  api.script = {};
});
afterAll(() => api.close());

describe("the list of tools", () => {
  it("costs less than 4,000 tokens by default, and asks GitHub nothing", async () => {
    const tools = await listTools(await openGithub(api.url));
    const seen = tools.map(({ name, inputSchema, ...rest }) => ({
      name,
      description: (rest as { description?: string }).description,
      inputSchema,
    }));
    expect(countTokens(JSON.stringify(seen))).toBeLessThan(4000);
    expect(tools.length).toBeGreaterThan(25);
    expect(api.asked).toEqual([]);
  });

  it("follows the toolsets, and says which one a tool is in", async () => {
    const wire = await openGithub(api.url, ["--toolsets", "issues,labels"]);
    const names = (await listTools(wire)).map(({ name }) => name);
    expect(names.toSorted()).toEqual([
      "add_issue_comment",
      "issue_read",
      "issue_write",
      "label_write",
      "list_issues",
      "list_label",
      "search_issues",
    ]);
    const { error } = await tryTool(wire, "actions_list", {});
    expect(String(error?.["message"])).toMatch(/--toolsets default,actions/);
    const former = await tryTool(wire, "list_workflow_runs", {});
    expect(String(former.error?.["message"])).toMatch(/, now actions_list \(.*--toolsets default,actions/);
    const chosen = await listTools(await openGithub(api.url, ["--tools", "actions_get,list_label"]));
    expect(chosen.map(({ name }) => name).toSorted()).toEqual(["actions_get", "list_label"]);
    expect((await runGithub(["--toolsets", "isues"])).stderr).toMatch(/no toolset "isues"/);
  });

  it("leaves owner and repo out with a single repository", async () => {
    const tools = await listTools(await openGithub(api.url, ["--repos", "octo/app", "--toolsets", "all"]));
    const asking = tools.filter(({ inputSchema }) => {
      const { owner, repo: name } = inputSchema["properties"] as { owner?: unknown; repo?: unknown };
      return owner !== undefined || name !== undefined;
    });
    expect(asking.map(({ name }) => name)).toEqual([]);
  });

  it.each(["2024-11-05", "2025-11-25"] as const)(
    "loses what a classic token cannot do, once that is known, in %s",
    async (revision) => {
      api.script = {
        "GET /user": { headers: { "x-oauth-scopes": "read:org, notifications" }, body: { login: "octo" } },
      };
      const wire = await openGithub(api.url, ["--toolsets", "all"], { revision });
      expect((await listTools(wire)).map(({ name }) => name)).toContain("issue_write");
      await tryTool(wire, "get_me");
      await wire.hear(({ method }) => method === "notifications/tools/list_changed");
      const names = (await listTools(wire)).map(({ name }) => name);
      expect(names).not.toContain("issue_write");
      expect(names).toContain("list_notifications");
    },
  );
});

describe("results", () => {
  it("have the fields that are asked for", async () => {
    const full = {
      number: 1,
      title: "A",
      state: "open",
      user: { login: "x", id: 7 },
      labels: [{ name: "a" }, { name: "b" }],
      extra: { deep: 1 },
    };
    api.script = {
      "GET /repos/octo/app/issues": { body: [full] },
      "GET /repos/octo/app/issues/1": { body: full },
    };
    const wire = await openGithub(api.url);
    const { structured, text } = await tryTool(wire, "list_issues", {
      ...repo,
      fields: ["number", "labels[].name", "extra"],
    });
    expect(structured["items"]).toEqual([{ number: 1, "labels[].name": ["a", "b"], extra: { deep: 1 } }]);
    expect(structured["untrusted"]).toEqual(["items"]);
    expect(text).toMatch(/number: 1 · labels\[\]\.name: a, b/);
    const one = await tryTool(wire, "issue_read", { ...repo, issue_number: 1 });
    expect(one.structured["item"]).toMatchObject({ author: "x", labels: ["a", "b"] });
  });

  it("have more with detail, and all the same what is asked for by name", async () => {
    const run = {
      id: 9,
      name: "CI",
      path: ".github/workflows/ci.yml",
      logs_url: "https://api.github.com/logs",
    };
    const artifact = {
      id: 7,
      name: "dist",
      archive_download_url: "https://api.github.com/zip",
      workflow_run: { id: 9 },
    };
    api.script = {
      "GET /repos/octo/app/issues": { body: [{ number: 1, title: "T", body: "Long", locked: true }] },
      "GET /repos/octo/app/actions/runs/9": { body: run },
      "GET /repos/octo/app/actions/artifacts/7": { body: artifact },
    };
    const wire = await openGithub(api.url, ["--toolsets", "all"]);
    const issues = async (args: object): Promise<unknown> =>
      (await tryTool(wire, "list_issues", { ...repo, ...args })).structured["items"];
    expect(await issues({})).toEqual([{ number: 1, title: "T" }]);
    expect(await issues({ detail: "full" })).toEqual([{ number: 1, title: "T", body: "Long" }]);
    expect(await issues({ detail: "full", fields: ["locked"] })).toEqual([{ locked: true }]);
    const get = async (method: string, resource_id: string, detail?: "full"): Promise<unknown> =>
      (await tryTool(wire, "actions_get", { ...repo, method, resource_id, detail })).structured["item"];
    expect(await get("get_workflow_run", "9")).toEqual({ id: 9, name: "CI" });
    expect(await get("get_workflow_run", "9", "full")).toMatchObject({ path: run.path });
    expect(await get("get_workflow_run_logs_url", "9")).toEqual({ id: 9, url: run.logs_url });
    expect(await get("download_workflow_run_artifact", "7")).toMatchObject({
      run_id: 9,
      url: artifact.archive_download_url,
    });
  });

  it("pick the lines of a log, and find a job by its name", async () => {
    const lines = Array.from(
      { length: 500 },
      (_, at) =>
        `2026-01-01T00:00:00.0000000Z ${at === 250 ? "\u001b[31mError: boom\u001b[0m" : `line ${at}`}`,
    );
    api.script = {
      "GET /repos/octo/app/actions/runs/9/jobs": {
        body: {
          jobs: [
            { id: 8, name: "build", conclusion: "failure" },
            { id: 7, name: "lint", conclusion: "success" },
          ],
        },
      },
      "GET /repos/octo/app/actions/jobs/8/logs": { body: `${lines.join("\n")}\n` },
      "GET /repos/octo/app/actions/jobs/7/logs": { body: "fine\n" },
    };
    const wire = await openGithub(api.url, ["--toolsets", "actions"]);
    const found = await tryTool(wire, "get_job_logs", {
      ...repo,
      run_id: 9,
      job_name: "build",
      grep: "error",
      context: 1,
    });
    expect(found.structured["text"]).toBe(
      '== build (job 8): 3 of 500 lines, 1 with "error"\n250: line 249\n251: Error: boom\n252: line 251',
    );
    const tail = await tryTool(wire, "get_job_logs", {
      ...repo,
      run_id: 9,
      failed_only: true,
      tail_lines: 2,
    });
    expect(tail.structured["text"]).toBe("== build (job 8): 2 of 500 lines\nline 498\nline 499");
    const failed = await tryTool(wire, "get_job_logs", { ...repo, run_id: 9, tail_lines: 2 });
    expect(failed.structured).toEqual(tail.structured);
    const all = await tryTool(wire, "get_job_logs", {
      ...repo,
      run_id: 9,
      failed_only: false,
      tail_lines: 1,
    });
    expect(all.structured["text"]).toBe(
      "== build (job 8): 1 of 500 lines\nline 499\n== lint (job 7): 1 of 1 line\nfine",
    );
    const wrong = await tryTool(wire, "get_job_logs", { ...repo, run_id: 9, job_name: "biuld" });
    expect(wrong.text).toMatch(/Did you mean build\?/);
  });

  it("are bytes where a file is no text", async () => {
    const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
    const content = {
      type: "file",
      path: "a.png",
      sha: "s",
      size: png.length,
      encoding: "base64",
      content: png.toString("base64"),
    };
    api.script = { "GET /repos/octo/app/contents/a.png": { body: content } };
    const wire = await openGithub(api.url);
    const { structured } = await tryTool(wire, "get_file_contents", { ...repo, path: "a.png" });
    expect(structured).toMatchObject({ mime_type: "image/png", base64: png.toString("base64") });
    const { result } = await wire.request("resources/read", { uri: "repo://octo/app/contents/a.png" });
    expect(result?.["contents"]).toMatchObject([{ mimeType: "image/png", blob: png.toString("base64") }]);
  });

  it("say how little can be done without a token", async () => {
    const wire = await openGithub(api.url, [], { env: { GITHUB_TOKEN: "" } });
    const { text } = await tryTool(wire, "issue_read", { ...repo, issue_number: 1 });
    expect(text).toMatch(/no token, so it only sees public data/);
    expect(api.asked[0]?.headers.authorization).toBeUndefined();
  });
});

describe("resources", () => {
  it("are files at any place in history", async () => {
    const text = Buffer.from("Hello\n").toString("base64");
    api.script = {
      "GET /repos/octo/app/contents/a%20b/c.md": ({ path }) => ({
        body: { type: "file", path, sha: "s", size: 6, encoding: "base64", content: text },
      }),
    };
    const wire = await openGithub(api.url);
    const places = ["", "/refs/heads/main", "/sha/abc", "/refs/tags/v1", "/refs/pull/7/head"];
    for (const place of places) {
      const { result } = await wire.request("resources/read", {
        uri: `repo://octo/app${place}/contents/a%20b/c.md`,
      });
      expect(result?.["contents"]).toMatchObject([
        { text: "Hello\n", _meta: { "dev.suite/untrusted": true } },
      ]);
    }
    const refs = api.asked.map(({ path }) => new URL(path, api.url).searchParams.get("ref"));
    expect(refs).toEqual([null, "refs/heads/main", "abc", "refs/tags/v1", "refs/pull/7/head"]);
  });

  it("are completed, and a long list does not claim to be whole", async () => {
    const next = { link: `<${api.url}/x>; rel="next"` };
    api.script = {
      "GET /repos/octo/app/branches": {
        headers: next,
        body: [{ name: "main" }, { name: "maintenance" }, { name: "other" }],
      },
      "GET /repos/octo/app/contents/src": {
        body: [
          { path: "src/a.ts", type: "file" },
          { path: "src/deep", type: "dir" },
        ],
      },
    };
    const wire = await openGithub(api.url);
    const complete = async (uri: string, name: string, value: string): Promise<unknown> => {
      const { result } = await wire.request("completion/complete", {
        ref: { type: "ref/resource", uri },
        argument: { name, value },
        context: { arguments: repo },
      });
      return result?.["completion"];
    };
    const uri = "repo://{owner}/{repo}/refs/heads/{branch}/contents{/path*}";
    expect(await complete(uri, "branch", "main")).toEqual({ values: ["main", "maintenance"], hasMore: true });
    expect(await complete(uri, "path", "src/d")).toMatchObject({ values: ["src/deep/"] });
  });
});

describe("the program", () => {
  it("says what it found", async () => {
    api.script = { "GET /rate_limit": { headers: { "x-ratelimit-limit": "5000" }, body: {} } };
    const good = await runGithub(["--doctor", "--api-url", api.url], { GITHUB_TOKEN: TOKEN });
    expect(good).toMatchObject({ code: 0 });
    expect(good.stdout).toMatch(/classic token, 5000 requests an hour/);
    api.script = { "GET /rate_limit": { status: 401, body: {} } };
    const bad = await runGithub(["--doctor", "--api-url", api.url], { GITHUB_TOKEN: TOKEN });
    expect(bad).toMatchObject({ code: 69 });
    expect(bad.stdout).toMatch(/The token is not valid/);
  });

  it("gets the token of an App's installation, and uses it until it ends", async () => {
    const { generateKeyPairSync } = await import("node:crypto");
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const key = String(privateKey.export({ type: "pkcs8", format: "pem" }));
    const token = "ghs_of0the0installation";
    api.script = {
      "POST /app/installations/42/access_tokens": {
        status: 201,
        body: { token, expires_at: new Date(Date.now() + 3_600_000).toISOString(), permissions: {} },
      },
      "GET /repos/octo/app/issues/1": ({ headers }) => ({
        body: { number: 1, title: headers.authorization },
      }),
    };
    const wire = await openGithub(api.url, ["--app-id", "7", "--app-installation-id", "42"], {
      env: { GITHUB_TOKEN: "", GITHUB_APP_PRIVATE_KEY: key },
    });
    for (let count = 0; count < 2; count += 1) {
      const { text } = await tryTool(wire, "issue_read", { ...repo, issue_number: 1 });
      expect(text).toMatch(/title: \S* ?\[hidden\]/);
    }
    expect(api.lines().filter((line) => line.startsWith("POST"))).toHaveLength(1);
    expect(api.asked.at(-1)?.headers.authorization).toBe(`Bearer ${token}`);
  });
});

describe("what would mislead", () => {
  it("is said", async () => {
    const issue = { number: 1, title: "A", user: { login: "x" } };
    const pull = { number: 3, head: { sha: "abc" } };
    const next = { link: '<https://api.github.com/x?page=2>; rel="next"' };
    api.script = {
      "GET /repos/octo/app/issues": { body: [issue], headers: next },
      "GET /repos/octo/app/pulls/3": { body: pull },
      "GET /repos/octo/app/commits/abc/status": { body: { state: "pending", sha: "abc", statuses: [] } },
      "GET /repos/octo/app/actions/jobs/5/logs": { body: "an error\n" },
      "POST /repos/octo/app/issues/1/comments": { status: 422, body: { message: "Validation Failed" } },
      "PATCH /repos/octo/app/issues/1": { body: issue },
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
    expect(refused.error?.["hint"]).toContain("It names no argument");
    const lost = await ask("get_file_contents", { path: "README.md", ref: "nobranch" });
    expect(lost.error?.["hint"]).toContain("/repos/octo/app/contents/README.md?ref=nobranch.");
    const commits = await ask("list_commits", { sha: "nobranch" });
    expect(commits.error?.["hint"]).toContain("/repos/octo/app/commits?sha=nobranch.");
    expect((await ask("get_latest_release", {})).text).toContain("There is no published release in octo/app");
    const comments = [{ path: "a.txt", line: 99, body: "Why?" }];
    for (const method of ["create", "add_comments"]) {
      const off = await ask("pull_request_review_write", { pull_number: 3, method, comments });
      expect(off.error, method).toMatchObject({
        code: "invalid_input",
        hint: expect.stringContaining("on a line of the diff") as string,
      });
    }
    const review = { pull_number: 3, method: "create", comments, dry_run: true };
    const planned = await ask("pull_request_review_write", review);
    expect(planned.structured["would_change"]).toEqual(["A pending review of octo/app#3, 1 comment"]);
    const labelled = await ask("issue_write", { method: "update", issue_number: 1, labels: ["a"] });
    expect(labelled.structured["changed"]).toEqual(["labels of octo/app#1, changed"]);
    expect((await ask("get_file_contents", { path: "src" })).text).toContain("src: 1 entry\n");
    const issues = await ask("list_issues", { fields: ["author", "nosuch"] });
    expect(issues.structured["items"]).toEqual([{ author: "x" }]);
    expect(issues.text).toContain('Unknown or empty: "nosuch".');
    expect(issues.text).toContain("1 issue, and more in octo/app:");
    const status = await ask("pull_request_read", { pull_number: 3, method: "get_status" });
    expect(status.structured["item"]).toEqual({ state: "none", sha: "abc" });
    expect(status.text).toContain("no commit statuses; see get_check_runs");
    expect((await ask("get_job_logs", { job_id: 5, grep: "error|expected" })).text).toContain(
      "grep is plain text, not a pattern",
    );
  });

  it("is refused", async () => {
    api.script = {
      "GET /repos/octo/app/commits": { body: [] },
      "GET /search/issues": { body: { total_count: 0, items: [] } },
    };
    api.asked.length = 0;
    const wire = await openGithub(api.url, ["--toolsets", "all"]);
    for (const [tool, args] of [
      ["list_issues", { since: "last week" }],
      ["list_commits", { since: "yesterday" }],
      ["list_commits", { until: "2026-02-31T99:00:00Z" }],
    ] as const) {
      const { error } = await tryTool(wire, tool, { ...repo, ...args });
      expect(error).toMatchObject({
        code: "invalid_input",
        hint: expect.stringContaining("2026-01-31") as string,
      });
    }
    const other = await tryTool(wire, "search_issues", { query: "repo:octo/app is:pr" });
    expect(other.error).toMatchObject({ code: "invalid_input", hint: "Use search_pull_requests." });
    expect(api.asked).toEqual([]);
    await tryTool(wire, "search_issues", { query: "-is:pr" });
    await tryTool(wire, "list_commits", { ...repo, since: "2026-01-31" });
    expect(api.asked.at(-1)?.path).toContain(encodeURIComponent("2026-01-31T00:00:00Z"));
    expect(api.asked).toHaveLength(2);
  });
});

describe("what models try", () => {
  const toFile = (text: string): object => ({
    type: "file",
    path: "a.txt",
    sha: "s",
    size: text.length,
    encoding: "base64",
    content: Buffer.from(text).toString("base64"),
  });

  it("is taken for what it means, and costs the list nothing", async () => {
    api.script = {
      "GET /repos/octo/app/contents/a.txt": { body: toFile("one\ntwo\n") },
      "GET /repos/octo/app/commits/main": {
        body: { sha: "abc", files: [{ filename: "a.txt", patch: "@@ -1 +1 @@" }] },
      },
      "GET /search/code": { body: { total_count: 0, items: [] } },
    };
    const wire = await openGithub(api.url);
    const edit = { path: "a.txt", branch: "main", message: "m", old_string: "two", new_string: "2" };
    const edited = await tryTool(wire, "edit_file", { repo: "octo/app", ...edit, dry_run: true });
    expect(edited.structured["diff"]).toContain("-two\n+2\n");
    for (const detail of ["full", "full_patch"]) {
      const commit = await tryTool(wire, "get_commit", {
        owner: "Octo",
        repo: "octo/app",
        sha: "main",
        detail,
      });
      expect(commit.structured["items"]).toMatchObject([{ patch: "@@ -1 +1 @@" }]);
    }
    for (const place of [repo, { repo: "octo/app" }]) {
      await tryTool(wire, "search_code", { query: "x", ...place });
      expect(new URL(api.asked.at(-1)?.path ?? "", api.url).searchParams.get("q")).toBe("x repo:octo/app");
    }
    const wrong = await tryTool(wire, "get_commit", { repository: "octo/app", sha: 1, include_diff: true });
    expect(wrong.text).toBe(
      'Invalid arguments for get_commit:\n- sha must be a string, not 1.\n- include_diff: detail: "full" gives the patches.',
    );
    await tryTool(wire, "list_issues", { ...repo, state: "OPEN", direction: "DESC" });
    expect(api.asked.at(-1)?.path).toMatch(/state=open&.*direction=desc/);
    const lost = await tryTool(wire, "search_code", { query: "x", repo: "app" });
    expect(lost.error).toMatchObject({ code: "invalid_input" });
    const other = await tryTool(wire, "get_commit", { owner: "else", repo: "octo/app", sha: "main" });
    expect(other.error).toMatchObject({ code: "invalid_input" });
    const properties = Object.fromEntries(
      (await listTools(wire)).map(({ name, inputSchema }) => [name, inputSchema["properties"] as object]),
    );
    expect(Object.keys(properties["search_code"] ?? {})).toEqual(["query", "fields", "limit", "cursor"]);
    expect(properties["get_commit"]).toMatchObject({ detail: { enum: ["none", "stats", "full"] } });
  });

  it("works a second time without a second commit", async () => {
    const blob = "5626abf0f72e58d7a153368ba57db4c673c0e171"; // Of "one\n".
    const tree = [
      { path: "a.txt", type: "blob", mode: "100644", sha: blob },
      { path: "run.sh", type: "blob", mode: "100755", sha: "old" },
      { path: "link", type: "blob", mode: "120000", sha: blob },
    ];
    api.script = {
      "GET /repos/octo/app/git/ref/heads/main": { body: { object: { sha: "head" } } },
      "GET /repos/octo/app/git/commits/head": { body: { sha: "head", tree: { sha: "tree" } } },
      "GET /repos/octo/app/git/trees/tree": { body: { tree, truncated: false } },
      "GET /repos/octo/app/contents/a.txt": { body: { ...toFile("one\n"), sha: blob } },
    };
    const wire = await openGithub(api.url);
    const args = { ...repo, branch: "main", message: "m" };
    const files = [{ path: "/a.txt", content: "one\n" }];
    const lists = ["--repos", "octo/app,octo/b", "--write-repos", "octo/b"];
    const reader = await openGithub(api.url, lists);
    for (const [tool, more] of [
      ["push_files", { files }],
      ["push_files", { files, dry_run: true }],
      ["create_or_update_file", { path: "a.txt", content: "one\n" }],
    ] as const) {
      // Whoever may not write is not told that there is nothing to write.
      const refused = await tryTool(reader, tool, { ...args, ...more });
      expect(refused.error, refused.text).toMatchObject({ code: "permission_denied" });
      const { structured, text, error } = await tryTool(wire, tool, { ...args, ...more });
      expect(error, text).toBeUndefined();
      expect(structured["changed"] ?? structured["would_change"]).toEqual([]);
      for (const view of [text, structured["note"]]) expect(view).toContain("all of it is there already");
    }
    expect(api.lines().filter((line) => !line.startsWith("GET"))).toEqual([]);
    const both = { ...args, files: [...files, { path: "run.sh", content: "new" }], dry_run: true };
    const { structured } = await tryTool(wire, "push_files", both);
    expect(structured).toMatchObject({
      would_change: ["run.sh on main of octo/app"],
      request: { body: { base_tree: "tree", tree: [{ path: "run.sh", mode: "100755", content: "new" }] } },
    });
    const link = { ...args, files: [{ path: "link", content: "one\n" }], dry_run: true };
    expect((await tryTool(wire, "push_files", link)).structured).toMatchObject({
      would_change: ["link on main of octo/app"],
      request: { body: { tree: [{ path: "link", mode: "100644", content: "one\n" }] } },
    });
    const twice = await tryTool(wire, "push_files", { ...args, files: [...files, ...files] });
    expect(twice.error).toMatchObject({ code: "invalid_input" });
    // Where the repository is too large to be looked through, GitHub's tree says it.
    api.script = {
      ...api.script,
      "GET /repos/octo/app/git/trees/tree": { body: { tree: [], truncated: true } },
      "POST /repos/octo/app/git/trees": { status: 201, body: { sha: "tree" } },
    };
    const large = await tryTool(wire, "push_files", { ...args, files });
    expect(large.error).toMatchObject({ code: "conflict", details: { sha: "head" } });
    expect(api.lines()).not.toContain("POST /repos/octo/app/git/commits");
  });

  it("is shown before it is done within the budget, however much it is", async () => {
    api.script = {
      "GET /repos/octo/app/git/ref/heads/main": { body: { object: { sha: "head" } } },
      "GET /repos/octo/app/git/commits/head": { body: { sha: "head", tree: { sha: "tree" } } },
      "GET /repos/octo/app/git/trees/tree": { body: { tree: [], truncated: false } },
    };
    const wire = await openGithub(api.url);
    const files = Array.from({ length: 300 }, (_, at) => ({
      path: `src/part-${at}.txt`,
      content: "x".repeat(3000),
    }));
    const { structured, text } = await tryTool(wire, "push_files", {
      ...repo,
      branch: "main",
      message: "m",
      files,
      dry_run: true,
    });
    const [first, second, ...others] = structured["would_change"] as string[];
    expect([first, second]).toEqual(["src/part-0.txt on main of octo/app", "src/part-1.txt"]);
    expect(others).toHaveLength(298);
    expect(text).toContain("300 in all, which would all be sent");
    for (const view of [text, JSON.stringify(structured)]) expect(view.length).toBeLessThanOrEqual(40_000);
  });

  it("is answered in the thread that was read", async () => {
    const nodes = [{ databaseId: 70, author: { login: "x" }, createdAt: "2026-01-01", body: "Why?" }];
    const thread = {
      id: "PRRT_1",
      isResolved: false,
      isOutdated: true,
      path: "a.txt",
      line: null,
      originalLine: 9,
    };
    const repository = { nameWithOwner: "octo/app" };
    api.script = {
      "POST /graphql": ({ body }) => {
        const { variables } = JSON.parse(body) as { variables: { id?: string; resolve?: string } };
        const isThread = (variables.id ?? variables.resolve) === "PRRT_1";
        const node = isThread ? { pullRequest: { number: 3, repository }, comments: { nodes } } : null;
        const reviewThreads = { pageInfo: {}, nodes: [{ ...thread, comments: { totalCount: 60, nodes } }] };
        const isList = variables.id === undefined && variables.resolve === undefined;
        return { body: { data: isList ? { repository: { pullRequest: { reviewThreads } } } : { node } } };
      },
      "POST /repos/octo/app/pulls/3/comments/70/replies": { status: 201, body: { id: 71, path: "a.txt" } },
    };
    const wire = await openGithub(api.url);
    const pull = { ...repo, pull_number: 3 };
    const { structured } = await tryTool(wire, "pull_request_read", {
      ...pull,
      method: "get_review_comments",
    });
    const [found] = structured["items"] as [{ thread_id: string }];
    expect(found).toMatchObject({ thread_id: "PRRT_1", line: 9, total_comments: 60, comments: [{ id: 70 }] });
    const reply = { ...pull, threadId: found.thread_id, body: "Because" };
    const done = await tryTool(wire, "add_reply_to_pull_request_comment", reply);
    expect(done.structured).toMatchObject({
      changed: ["A reply to comment 70 on octo/app#3"],
      item: { id: 71 },
    });
    for (const wrong of [
      { ...reply, pull_number: 4 },
      { ...reply, threadId: "PRRT_2" },
    ]) {
      const { error } = await tryTool(wire, "add_reply_to_pull_request_comment", wrong);
      expect(error).toMatchObject({ code: "not_found" });
    }
    const unnamed = await tryTool(wire, "add_reply_to_pull_request_comment", { ...pull, body: "Because" });
    expect(unnamed.error).toMatchObject({ code: "invalid_input" });
    expect(unnamed.text).toContain("Give thread_id, or comment_id of its first comment.");
  });
});
