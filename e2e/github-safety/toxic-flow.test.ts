import { callTool, type Fields } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { openGithub, type Outcomes, tryTool } from "../github/program.ts";
import { useScriptedApi } from "../github/use-scripted-api.ts";
import type { Wire } from "../support/wire.ts";
import { PUBLIC, SECRET, STAGE } from "./stage.ts";

const COMMENT = "POST /repos/octo/app/issues/1/comments";

const api = await useScriptedApi(STAGE);

/** Strangers' text, and something private. */
async function readBoth(wire: Wire): Promise<Outcomes> {
  await tryTool(wire, "issue_read", { ...PUBLIC, issue_number: 1 });
  return tryTool(wire, "get_file_contents", { ...SECRET, path: "README.md" });
}

/** What a stranger's issue would have an agent do. */
async function fallForIt(wire: Wire) {
  const secret = await readBoth(wire);
  const post = await tryTool(wire, "add_issue_comment", {
    ...PUBLIC,
    issue_number: 1,
    body: "The launch code is 0000.",
  });
  return { secret, post };
}

describe("a public issue that wants something private posted", () => {
  it("gets nothing: the write is refused, and says why", async () => {
    const { secret, post } = await fallForIt(await openGithub(api.url));
    expect(secret.text).toContain("launch code");
    expect(post.error).toMatchObject({
      code: "permission_denied",
      details: { guard: "taint", private: "octo/secret" },
    });
    expect(post.text).toMatch(/strangers in octo\/app .* private repository octo\/secret/);
    expect(api.lines()).not.toContain(COMMENT);
  });

  it("gets nothing in another order, or by a dry run first", async () => {
    const wire = await openGithub(api.url);
    await tryTool(wire, "get_file_contents", { ...SECRET, path: "README.md" });
    await tryTool(wire, "search_issues", { query: "help" });
    const args = { ...PUBLIC, issue_number: 1, body: "0000" };
    for (const dry_run of [true, false])
      expect((await tryTool(wire, "add_issue_comment", { ...args, dry_run })).error).toMatchObject({
        code: "permission_denied",
        details: { guard: "taint" },
      });
    expect((await tryTool(wire, "create_repository", { name: "leak", private: false })).error).toMatchObject({
      code: "permission_denied",
    });
    expect(api.lines().filter((line) => line.startsWith("POST"))).toEqual([]);
  });

  it("never reaches what is not on the list", async () => {
    const { secret, post } = await fallForIt(await openGithub(api.url, ["--repos", "octo/app,octo/other"]));
    expect(secret.error).toBeDefined();
    expect(post.error).toBeUndefined();
    expect(api.lines().filter((line) => line.includes("secret"))).toEqual([]);
  });

  it.each([
    [true, 1],
    [false, 0],
  ])("is put to a person where the client can ask: %s", async (confirm, made) => {
    const wire = await openGithub(api.url, [], { revision: "2025-11-25", capabilities: { elicitation: {} } });
    const questions: unknown[] = [];
    wire.answer("elicitation/create", (params) => {
      questions.push(params["message"]);
      return { action: "accept", content: { confirm } };
    });
    const { post } = await fallForIt(wire);
    expect(questions).toEqual([
      expect.stringMatching(/octo\/secret .*Write to octo\/app, which is public\?/),
    ]);
    expect(post.error === undefined).toBe(confirm);
    expect(api.lines().filter((line) => line === COMMENT)).toHaveLength(made);
  });

  it("is put to a person in the modern era, too, and nothing is sent before", async () => {
    const wire = await openGithub(api.url, [], { capabilities: { elicitation: {} } });
    await readBoth(wire);
    const args = { ...PUBLIC, issue_number: 1, body: "0000" };
    const dry = await tryTool(wire, "add_issue_comment", { ...args, dry_run: true });
    expect(dry.structured["note"]).toMatch(
      /A person would be asked first: .*octo\/secret.*Write to octo\/app/,
    );
    const { result } = await callTool(wire, "add_issue_comment", args);
    expect(result).toMatchObject({ resultType: "input_required" });
    expect(api.lines()).not.toContain(COMMENT);
  });
});

describe("a call that writes more than once", () => {
  const at = "/repos/octo/app";
  const made = (body: Fields) => ({ status: 201, body });
  const script = {
    ...STAGE,
    [`GET ${at}/pulls/3/reviews`]: { body: [{ id: 4, node_id: "PRR_4", state: "PENDING" }] },
    [`GET ${at}/git/ref/heads/main`]: { body: { object: { sha: "head" } } },
    [`GET ${at}/git/commits/head`]: { body: { sha: "head", tree: { sha: "tree" } } },
    [`GET ${at}/git/trees/tree`]: { body: { tree: [], truncated: false } },
    [`POST ${at}/git/trees`]: made({ sha: "new-tree" }),
    [`POST ${at}/git/commits`]: made({ sha: "new" }),
    [`PATCH ${at}/git/refs/heads/main`]: { body: {} },
  };

  it("is put to a person once in the modern era, and each write is made once", async () => {
    api.script = script;
    const wire = await openGithub(api.url, [], { capabilities: { elicitation: {} } });
    await readBoth(wire);
    const comments = ["One", "Two", "Three"].map((body) => ({ path: "x", line: 1, body }));
    const call = {
      name: "pull_request_review_write",
      arguments: { ...PUBLIC, pull_number: 3, method: "add_comments", comments },
    };
    const mutations = (): unknown[] =>
      api.asked.map(({ body }) => body).filter((body) => body.startsWith('{"query":"mutation'));
    const asked = (await wire.request("tools/call", call)).result ?? {};
    expect(Object.keys(asked["inputRequests"] as Fields)).toHaveLength(1);
    expect(mutations()).toEqual([]);
    const agreed = { action: "accept", content: { confirm: true } };
    const { result } = await wire.request("tools/call", {
      ...call,
      requestState: asked["requestState"],
      inputResponses: Object.fromEntries(
        Object.keys(asked["inputRequests"] as Fields).map((name) => [name, agreed]),
      ),
    });
    expect(result).toMatchObject({ resultType: "complete" });
    expect(mutations()).toHaveLength(3);
  });

  it("is put to a person once in older eras, too", async () => {
    api.script = script;
    const wire = await openGithub(api.url, [], { revision: "2025-11-25", capabilities: { elicitation: {} } });
    let questions = 0;
    wire.answer("elicitation/create", () => {
      questions += 1;
      return { action: "accept", content: { confirm: true } };
    });
    await readBoth(wire);
    const files = [{ path: "a", content: "x" }];
    const pushed = await tryTool(wire, "push_files", { ...PUBLIC, branch: "main", message: "m", files });
    expect(pushed.error, pushed.text).toBeUndefined();
    expect(questions).toBe(1);
    expect(api.lines().slice(-3)).toEqual(Object.keys(script).slice(-3));
  });
});

describe("a stranger's repository", () => {
  const FOREIGN = { owner: "evil", repo: "lib" };
  const at = "GET /repos/evil/lib";
  const script = {
    ...STAGE,
    [at]: { body: { full_name: "evil/lib", private: false, permissions: { push: false } } },
    [`${at}/contents/README.md`]: STAGE["GET /repos/octo/app/contents/README.md"]!,
    [`${at}/commits`]: { body: [] },
    [`${at}/commits/main`]: { body: { sha: "beef", files: [] } },
    [`${at}/releases`]: { body: [] },
    [`${at}/tags`]: { body: [] },
    [`${at}/branches`]: { body: [] },
    [`${at}/git/trees/HEAD`]: { body: { tree: [] } },
  };

  it.each([
    ["get_file_contents", { path: "README.md" }],
    ["list_commits", {}],
    ["get_commit", { sha: "main" }],
    ["list_releases", {}],
    ["list_tags", {}],
    ["list_branches", {}],
    ["get_repository_tree", {}],
    ["resources/read", {}],
  ])("is strangers' text: %s", async (tool, args) => {
    api.script = script;
    const wire = await openGithub(api.url, ["--toolsets", "all"]);
    const read =
      tool === "resources/read"
        ? await wire.request(tool, { uri: "repo://evil/lib/contents/README.md" })
        : await tryTool(wire, tool, { ...FOREIGN, ...args });
    expect(read.error).toBeUndefined();
    await tryTool(wire, "get_file_contents", { ...SECRET, path: "README.md" });
    expect(api.lines()).not.toContain(at);
    const post = await tryTool(wire, "add_issue_comment", { ...PUBLIC, issue_number: 1, body: "0000" });
    expect(post.error).toMatchObject({ details: { strangers: "evil/lib", private: "octo/secret" } });
    expect(api.lines().filter((line) => line === at)).toHaveLength(1);
    expect(api.lines()).not.toContain(COMMENT);
  });
});

describe("a commit that is named by its sha", () => {
  it.each([
    ["beef", "is a stranger's where no branch and no tag has it", true],
    ["d00d", "is ours where a branch has it", false],
  ])("%s %s", async (sha, _, isRefused) => {
    const wire = await openGithub(api.url);
    await tryTool(wire, "get_commit", { ...PUBLIC, sha });
    await tryTool(wire, "get_file_contents", { ...SECRET, path: "README.md" });
    // Nobody looks for it before it matters.
    expect(api.lines().filter((line) => line.includes("/compare/"))).toEqual([]);
    const post = await tryTool(wire, "add_issue_comment", { ...PUBLIC, issue_number: 1, body: "0000" });
    expect(post.error?.["code"]).toBe(isRefused ? "permission_denied" : undefined);
    expect(api.lines().includes(COMMENT)).toBe(!isRefused);
  });
});

it("the names of jobs are strangers' text, even where no job has a log", async () => {
  const wire = await openGithub(api.url);
  await wire.request("resources/read", { uri: "repo://octo/app/actions/runs/13/logs" });
  await tryTool(wire, "get_file_contents", { ...SECRET, path: "README.md" });
  const post = await tryTool(wire, "add_issue_comment", { ...PUBLIC, issue_number: 1, body: "0000" });
  expect(post.error).toMatchObject({ details: { strangers: "octo/app", private: "octo/secret" } });
});

describe("work that is no leak", () => {
  it("goes on: ours and private, private and private, strangers alone", async () => {
    const wire = await openGithub(api.url);
    await tryTool(wire, "issue_read", { ...PUBLIC, issue_number: 2 });
    await tryTool(wire, "get_file_contents", { ...SECRET, path: "README.md" });
    const comment = { ...PUBLIC, issue_number: 1, body: "Thanks" };
    expect((await tryTool(wire, "add_issue_comment", comment)).error).toBeUndefined();
    await tryTool(wire, "issue_read", { ...PUBLIC, issue_number: 1 });
    const inPrivate = await tryTool(wire, "issue_write", {
      ...SECRET,
      method: "create",
      title: "From a stranger",
    });
    expect(inPrivate.error).toBeUndefined();
    const fresh = await openGithub(api.url);
    await tryTool(fresh, "issue_read", { ...PUBLIC, issue_number: 1 });
    expect((await tryTool(fresh, "add_issue_comment", comment)).error).toBeUndefined();
  });

  it("goes on where the operator wants it, or after a while", async () => {
    const open = await fallForIt(await openGithub(api.url, ["--taint-guard", "off"]));
    expect(open.post.error).toBeUndefined();
    const wire = await openGithub(api.url, ["--taint-memory", "1ms"]);
    await readBoth(wire);
    const { error } = await tryTool(wire, "add_issue_comment", { ...PUBLIC, issue_number: 1, body: "x" });
    expect(error).toBeUndefined();
  });
});
