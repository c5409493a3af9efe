import { listTools } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { openGithub, shareGithub, tryTool } from "./program.ts";
import { type Script, toBlobSha, toFileBody } from "./scripted-api.ts";
import { useScriptedApi } from "./use-scripted-api.ts";

const repo = { owner: "octo", repo: "app" };
const api = await useScriptedApi();
const open = shareGithub(api.url);
const ONE = toBlobSha("one\n");
const BRANCH: Script = {
  "GET /repos/octo/app/git/ref/heads/main": { body: { object: { sha: "head" } } },
  "GET /repos/octo/app/git/commits/head": { body: { sha: "head", tree: { sha: "tree" } } },
};

describe("what models try", () => {
  it("is taken for what it means, and costs the list nothing", async () => {
    api.script = {
      ...BRANCH,
      "GET /repos/octo/app/git/matching-refs/heads/feat": { body: [] },
      "GET /repos/octo/app/contents/a.txt": { body: toFileBody("a.txt", "one\ntwo\n") },
      "GET /repos/octo/app/commits/main": {
        body: { sha: "abc", files: [{ filename: "a.txt", patch: "@@ -1 +1 @@" }] },
      },
      "GET /repos/octo/app/issues": { body: [] },
      "GET /search/code": { body: { total_count: 0, items: [] } },
    };
    const wire = await open();
    const edit = { path: "a.txt", branch: "main", message: "m", old_string: "two", new_string: "2" };
    const edited = await tryTool(wire, "edit_file", { repo: "octo/app", ...edit, dry_run: true });
    expect(edited.structured["diff"]).toContain("-two\n+2\n");
    for (const detail of ["full", "full_patch"]) {
      const args = { owner: "Octo", repo: "octo/app", sha: "main", detail };
      const commit = await tryTool(wire, "get_commit", args);
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
    const named = { ...repo, branch: "refs/heads/feat", base: "refs/heads/main", dry_run: true };
    expect((await tryTool(wire, "create_branch", named)).structured).toMatchObject({
      would_change: ["The branch feat of octo/app, created at head of main"],
      request: { body: { ref: "refs/heads/feat" } },
    });
    const listed = { ...repo, method: "create", title: "A", labels: "bug, ui", assignees: ["octo,mona"] };
    expect((await tryTool(wire, "issue_write", { ...listed, dry_run: true })).structured).toMatchObject({
      request: { body: { labels: ["bug", "ui"], assignees: ["octo", "mona"] } },
    });
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
    const tree = [
      { path: "a.txt", type: "blob", mode: "100644", sha: ONE },
      { path: "run.sh", type: "blob", mode: "100755", sha: "old" },
    ];
    api.script = {
      ...BRANCH,
      "GET /repos/octo/app/git/trees/tree": { body: { tree, truncated: false } },
      "GET /repos/octo/app/contents/a.txt": { body: toFileBody("a.txt", "one\n") },
    };
    const wire = await open();
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
      for (const view of [text, structured["note"]])
        expect(view).toContain("everything is already as requested");
    }
    expect(api.lines().filter((line) => !line.startsWith("GET"))).toEqual([]);
    const both = { ...args, files: [...files, { path: "run.sh", content: "new" }], dry_run: true };
    const { structured } = await tryTool(wire, "push_files", both);
    expect(structured).toMatchObject({
      would_change: ["run.sh on main of octo/app, changed"],
      request: { body: { base_tree: "tree", tree: [{ path: "run.sh", mode: "100755", content: "new" }] } },
    });
    const twice = await tryTool(wire, "push_files", { ...args, files: [...files, ...files] });
    expect(twice.error).toMatchObject({ code: "invalid_input" });
  });

  it("writes a new file without a look at all the others", async () => {
    const file = "/repos/octo/app/contents/new";
    api.script = { ...BRANCH, [`PUT ${file}`]: { status: 201, body: {} } };
    const wire = await open();
    const args = { ...repo, path: "new", content: "x", branch: "main", message: "m" };
    expect((await tryTool(wire, "create_or_update_file", args)).error).toBeUndefined();
    expect(api.lines()).toEqual([`GET ${file}`, "GET /repos/octo/app/git/ref/heads/main", `PUT ${file}`]);
  });

  it("leaves what is in the way where it is", async () => {
    const tree = [
      { path: "src", type: "tree", mode: "040000", sha: "d" },
      { path: "src/a.txt", type: "blob", mode: "100644", sha: "a" },
      { path: "lib", type: "commit", mode: "160000", sha: "c" },
      { path: "link", type: "blob", mode: "120000", sha: "l" },
    ];
    api.script = { ...BRANCH, "GET /repos/octo/app/git/trees/tree": { body: { tree, truncated: false } } };
    const wire = await open();
    const push = (files: readonly object[], more: object = {}): ReturnType<typeof tryTool> =>
      tryTool(wire, "push_files", { ...repo, branch: "main", message: "m", files, ...more });
    const refused: readonly (readonly [object, string])[] = [
      [{ path: "src", content: "x" }, "src is a directory"],
      [{ path: "src", delete: true }, "src is a directory"],
      [{ path: "lib", content: "x" }, "lib is a submodule"],
      [{ path: "lib/x", content: "x" }, "lib is not a directory"],
      [{ path: "src/a.txt/b/c", content: "x" }, "src/a.txt is not a directory"],
      [{ path: "link", content: "x" }, "link is a symbolic link"],
      [{ path: "link/b", content: "x" }, "link is not a directory"],
    ];
    for (const [file, words] of refused) {
      const { error, text } = await push([{ path: "new", content: "x" }, file]);
      expect.soft(error, JSON.stringify(file)).toMatchObject({ code: "invalid_input" });
      expect.soft(text).toContain(words);
    }
    expect(api.lines().filter((line) => !line.startsWith("GET"))).toEqual([]);
    const moved = [
      { path: "link", delete: true },
      { path: "link/b", content: "x" },
    ];
    expect((await push(moved, { dry_run: true })).structured["would_change"]).toHaveLength(2);
  });

  it("does not follow a symbolic link, as GitHub does", async () => {
    const at = "/repos/octo/app";
    const sha = toBlobSha("../a.txt");
    const content = Buffer.from("../a.txt").toString("base64");
    const large = { ...toFileBody("large", ""), size: 2_000_000, encoding: "none", sha };
    api.script = {
      [`GET ${at}/contents/link`]: { body: { ...toFileBody("link", "one\n"), sha } },
      [`GET ${at}/contents/large`]: { body: large },
      [`GET ${at}/git/blobs/${sha}`]: { body: { sha, content, encoding: "base64" } },
      [`DELETE ${at}/contents/link`]: { body: { commit: { sha: "new" } } },
    };
    const wire = await open();
    for (const path of ["link", "large"]) {
      const read = await tryTool(wire, "get_file_contents", { ...repo, path });
      expect(read.structured).toMatchObject({ sha, link_to: "../a.txt" });
      expect(read.structured["note"]).toBe(`${path} is a symbolic link (link_to): only the sha is its own.`);
      expect(read.text).toMatch(/\nlink_to:\n<(untrusted-\w+)>\n\.\.\/a\.txt\n<\/\1>\n/);
    }
    const file = { ...repo, path: "link", branch: "main", message: "m" };
    for (const [tool, args] of [
      ["edit_file", { ...file, edits: [{ old_text: "one", new_text: "two" }] }],
      ["create_or_update_file", { ...file, content: "two\n", sha }],
      ["create_or_update_file", { ...file, path: "large", content: "two\n", sha }],
    ] as const) {
      const { error, text } = await tryTool(wire, tool, args);
      expect(error, tool).toMatchObject({ code: "invalid_input", details: { link_to: "../a.txt" } });
      expect(text).toContain("is a symbolic link. Nothing was changed.");
      expect(text).not.toContain("../a.txt");
    }
    expect(api.lines().filter((line) => !line.startsWith("GET"))).toEqual([]);
    expect((await tryTool(wire, "delete_file", file)).error).toBeUndefined();
    expect(JSON.parse(api.asked.at(-1)?.body ?? "")).toMatchObject({ sha });
  });

  it("finds what the list of a very large repository leaves out", async () => {
    const trees: Readonly<Record<string, readonly object[]>> = {
      tree: [{ path: "zz", mode: "040000", sha: "zz" }],
      zz: [
        { path: "bin", mode: "040000", sha: "bin" },
        { path: "bin2", mode: "040000", sha: "bin2" },
      ],
      bin: [
        { path: "run.sh", mode: "100755", sha: "r" },
        { path: "a.txt", mode: "100644", sha: ONE },
      ],
    };
    api.script = {
      ...BRANCH,
      ...Object.fromEntries(
        Object.entries(trees).map(([sha, tree]) => [
          `GET /repos/octo/app/git/trees/${sha}`,
          { body: { tree } },
        ]),
      ),
      "GET /repos/octo/app/git/trees/tree?recursive=1": { body: { tree: [], truncated: true } },
    };
    const wire = await openGithub(api.url, ["--toolsets", "default,git"]);
    const push = (files: readonly object[]): ReturnType<typeof tryTool> =>
      tryTool(wire, "push_files", { ...repo, branch: "main", message: "m", files, dry_run: true });
    const run = { path: "zz/bin/run.sh", content: "#!/bin/sh\n" };
    const same = { path: "zz/bin/a.txt", content: "one\n" };
    expect((await push([run, same, { path: "zz/new/b", content: "x" }])).structured).toMatchObject({
      would_change: ["zz/bin/run.sh on main of octo/app, changed", "zz/new/b, created"],
      request: { body: { tree: [{ mode: "100755" }, { mode: "100644" }] } },
    });
    // Each directory is read once.
    expect(api.lines().filter((line) => line.includes("/git/trees/"))).toHaveLength(4);
    expect((await push([same])).text).toContain("everything is already as requested");
    expect((await push([{ path: "zz/bin", content: "x" }])).error).toMatchObject({ code: "invalid_input" });
    expect((await push([{ path: "zz/bin/none", delete: true }])).error).toMatchObject({ code: "not_found" });
    const listed = async (path_filter: string, recursive = true): Promise<unknown> => {
      const args = { ...repo, tree_sha: "tree", recursive, path_filter };
      const { structured } = await tryTool(wire, "get_repository_tree", args);
      const paths = (structured["items"] as { path: string }[]).map(({ path }) => path);
      return { paths, isPart: structured["truncated"] === true };
    };
    const bin = ["zz/bin/run.sh", "zz/bin/a.txt"];
    for (const [filter, found] of [
      ["zz/bin/", { paths: bin, isPart: false }],
      ["zz/bin", { paths: bin, isPart: true }],
      ["zz/bin/r", { paths: bin.slice(0, 1), isPart: false }],
      ["none", { paths: [], isPart: true }],
    ] as const)
      expect([filter, await listed(filter)]).toEqual([filter, found]);
    // Without recursive, the filter leads into a directory all the same, but no deeper.
    expect(await listed("zz/bin/", false)).toEqual({ paths: bin, isPart: false });
    expect(await listed("zz/", false)).toEqual({ paths: ["zz/bin", "zz/bin2"], isPart: false });
    expect(await listed("zz/bin", false)).toEqual({ paths: ["zz/bin", "zz/bin2"], isPart: false });
    expect(await listed("z", false)).toEqual({ paths: ["zz"], isPart: false });
  });

  it("is shown before it is done within the budget, however much it is", async () => {
    api.script = { ...BRANCH, "GET /repos/octo/app/git/trees/tree": { body: { tree: [] } } };
    const wire = await open();
    const files = Array.from({ length: 300 }, (_, at) => ({
      path: `src/part-${at}.txt`,
      content: "x".repeat(3000),
    }));
    const args = { ...repo, branch: "main", message: "m", files, dry_run: true };
    const { structured, text } = await tryTool(wire, "push_files", args);
    const [first, second, ...others] = structured["would_change"] as string[];
    expect([first, second]).toEqual([
      "src/part-0.txt on main of octo/app, created",
      "src/part-1.txt, created",
    ]);
    expect(others).toHaveLength(298);
    expect(text).toContain("300 in all, all of which would be sent");
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
    const wire = await open();
    const pull = { ...repo, pull_number: 3 };
    const asked = { ...pull, method: "get_review_comments" };
    const { structured } = await tryTool(wire, "pull_request_read", asked);
    const [found] = structured["items"] as [{ thread_id: string }];
    expect(found).toMatchObject({ thread_id: "PRRT_1", line: 9, total_comments: 60, id: 70 });
    const reply = { ...pull, threadId: found.thread_id, body: "Because" };
    const done = await tryTool(wire, "add_reply_to_pull_request_comment", reply);
    expect(done.structured).toMatchObject({ changed: ["A reply to comment 70 on octo/app#3"] });
    // The path is somebody else's word.
    expect(done.structured["item"]).toEqual({ id: 71 });
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
