import type { Fields } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { freePort } from "../support/free-port.ts";
import { openGithub, shareGithub, tryTool } from "./program.ts";
import { type Script, toFileBody } from "./scripted-api.ts";
import { useScriptedApi } from "./use-scripted-api.ts";

const repo = { owner: "octo", repo: "app" };
const at = "/repos/octo/app";
const missing = { status: 404, body: { message: "Not Found" } };
const api = await useScriptedApi();
const open = shareGithub(api.url);

describe("what is missing is named, with what may have been meant", () => {
  const HERE = {
    [`GET ${at}`]: { body: { full_name: "octo/app", default_branch: "main" } },
    [`GET ${at}/commits/main`]: { body: { sha: "head" } },
    [`GET ${at}/branches`]: { body: [{ name: "main" }, { name: "release" }] },
    [`GET ${at}/git/trees/main`]: { body: { tree: [{ path: "src/index.ts" }] } },
    [`GET ${at}/git/trees/HEAD`]: { body: { tree: [{ path: "src/index.ts" }] } },
    "GET /users/octo/repos": { body: [{ name: "app", full_name: "octo/app" }] },
  };
  it.each([
    [
      "get_file_contents",
      { ...repo, repo: "apq", path: "a" },
      /no repository octo\/apq .*\nDid you mean octo\/app\?/,
    ],
    ["issue_write", { ...repo, repo: "apq", method: "create", title: "x" }, /no repository octo\/apq/],
    [
      "get_file_contents",
      { ...repo, path: "a", ref: "relaese" },
      /no branch, tag or commit relaese .*\nDid you mean release\?/,
    ],
    ["get_commit", { ...repo, sha: "mian" }, /no branch, tag or commit mian .*\nDid you mean main\?/],
    [
      "get_file_contents",
      { ...repo, path: "src/index.js", ref: "main" },
      /no src\/index\.js on main in octo\/app\.\nDid you mean src\/index\.ts\?/,
    ],
    [
      "get_file_contents",
      { ...repo, path: "src/index.js" },
      /no src\/index\.js in octo\/app\.\nDid you mean src\/index\.ts\?/,
    ],
  ] as [string, Fields, RegExp][])("%s %j", async (tool, args, words) => {
    api.script = HERE;
    const { error, text } = await tryTool(await open(), tool, args);
    expect(error).toMatchObject({ code: "not_found" });
    expect(text).toMatch(words);
  });

  const file = { ...repo, path: "a", branch: "main", message: "m", content: "x" };
  const head = { [`GET ${at}/git/ref/heads/main`]: { body: { object: { sha: "head" } } } };
  it.each([
    ["is not what was asked for", HERE, "issue_read", { ...repo, issue_number: 7 }, ["GET /issues/7"]],
    ["is there", { ...HERE, ...head }, "create_or_update_file", file, ["PUT /contents/a", "GET "]],
    ...[{ status: 403, body: {} }, { raw: () => undefined }].map((broken) => [
      "cannot be asked about",
      { ...HERE, [`GET ${at}`]: broken },
      "get_file_contents",
      { ...repo, path: "a" },
      ["GET /contents/a", "GET "],
    ]),
  ] as [string, Script, string, Fields, string[]][])(
    "but GitHub's words stay where the repository %s",
    async (_, script, tool, args, lines) => {
      api.script = script;
      const { error, text } = await tryTool(await openGithub(api.url), tool, args);
      const asked = api.lines().slice(-lines.length);
      expect(asked).toEqual(lines.map((line) => line.replace(" ", ` ${at}`)));
      expect(error).toMatchObject({ code: "not_found" });
      expect(text).toContain(`GitHub refused ${asked[0]} (404`);
    },
  );
});

describe("single sign-on", () => {
  it("is said to have cut results, in both views, and where to authorize", async () => {
    const url = "https://github.com/orgs/acme/sso?authorization_request=AZ";
    api.script = {
      "GET /search/issues": {
        headers: { "x-github-sso": `partial-results; organizations=21955855,20582480` },
        body: { total_count: 0, items: [] },
      },
      [`GET ${at}/issues/1`]: {
        status: 403,
        headers: { "x-github-sso": `required; url=${url}` },
        body: { message: "Resource protected by organization SAML enforcement." },
      },
    };
    const wire = await open();
    const { structured, text } = await tryTool(wire, "search_issues", { query: "x" });
    expect(structured).toMatchObject({
      truncated: true,
      note: expect.stringContaining("21955855, 20582480") as string,
    });
    expect(text).toContain("single sign-on have (with the ids 21955855, 20582480)");
    const refused = await tryTool(wire, "issue_read", { ...repo, issue_number: 1 });
    expect(refused.text).toContain(`has to authorize it there: ${url}`);
  });
});

it("a token per owner is used for searches, renames and the user, too", async () => {
  api.script = {
    "GET /search/issues": { body: { total_count: 0, items: [] } },
    "GET /user": { body: { login: "octo" } },
    "GET /repos/beta/old/issues/1": {
      status: 301,
      headers: { location: `${api.url}/repositories/5/issues/1` },
    },
    "GET /repositories/5": { body: { full_name: "beta/new" } },
    "GET /repositories/5/issues/1": { body: { number: 1, title: "Moved" } },
  };
  const wire = await openGithub(api.url, [], {
    env: { GITHUB_TOKEN: "", GITHUB_OWNER_TOKENS: "acme=ghp_acme,beta=ghp_beta" },
  });
  for (const [tool, args] of [
    ["get_me", {}],
    ["search_issues", { query: "x" }],
    ["search_issues", { query: "x repo:beta/app" }],
    ["search_issues", { query: "x org:gamma" }],
    ["issue_read", { owner: "beta", repo: "old", issue_number: 1 }],
  ] as const)
    expect((await tryTool(wire, tool, args)).error, tool).toBeUndefined();
  const tokens = api.asked.map(({ headers }) => headers.authorization?.replace("Bearer ghp_", ""));
  expect(tokens).toEqual(["acme", "acme", "beta", undefined, "beta", "beta", "beta"]);
});

it("a write that found no connection was not made, and may be repeated", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const wire = await openGithub(url);
  const { error, text } = await tryTool(wire, "add_issue_comment", { ...repo, issue_number: 1, body: "x" });
  expect(error, text).toMatchObject({ code: "unavailable", retryable: true });
  expect(text).not.toMatch(/unknown whether/);
});

it("a host without an address is no misspelling of the caller's, and nothing was sent to it", async () => {
  const wire = await openGithub("https://nothing.invalid");
  for (const [tool, args] of [
    ["get_file_contents", { ...repo, path: "a.txt" }],
    ["add_issue_comment", { ...repo, issue_number: 1, body: "x" }],
  ] as const) {
    const { error, text } = await tryTool(wire, tool, args);
    expect(error, text).toMatchObject({ code: "unavailable", retryable: true });
    expect(text).toMatch(/^nothing\.invalid cannot be resolved: .*\sTry again later\..*--host/s);
  }
});

it("without a token, none is said to be invalid", async () => {
  api.script = { "GET /user": { status: 401, body: { message: "Requires authentication" } } };
  const wire = await openGithub(api.url, [], { env: { GITHUB_TOKEN: "" } });
  expect((await tryTool(wire, "get_me")).text).toMatch(/has no token, and this needs one/);
});

it("a limit ends by GitHub's clock, even if ours is off", async () => {
  const date = Date.UTC(2031, 0, 1);
  api.script = {
    [`GET ${at}/issues/1`]: {
      status: 403,
      headers: {
        date: new Date(date).toUTCString(),
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": String(date / 1000 + 600),
      },
      body: { message: "API rate limit exceeded" },
    },
  };
  const { error } = await tryTool(await openGithub(api.url), "issue_read", { ...repo, issue_number: 1 });
  expect(error).toMatchObject({ code: "rate_limited", retryAfterMs: 601_000 });
});

it("all comments of a long review thread are read", async () => {
  const comment = (id: number) => ({
    databaseId: id,
    author: { login: "dev" },
    authorAssociation: "MEMBER",
    body: `${id}`,
  });
  const comments = Array.from({ length: 230 }, (_, index) => comment(index));
  const page = (from: number) => ({
    totalCount: comments.length,
    pageInfo: { hasNextPage: from + 100 < comments.length, endCursor: String(from + 100) },
    nodes: comments.slice(from, from + 100),
  });
  api.script = {
    "POST /graphql": ({ body }) => {
      const { variables } = JSON.parse(body) as { variables: Fields };
      const pullRequest = { repository: { nameWithOwner: "octo/app" } };
      if ("resolve" in variables) return { body: { data: { node: { pullRequest } } } };
      if ("id" in variables)
        return { body: { data: { node: { comments: page(Number(variables["after"])) } } } };
      const nodes = [{ id: "T", path: "x", line: 1, comments: page(0) }];
      const reviewThreads = { pageInfo: { hasNextPage: false }, nodes };
      return { body: { data: { repository: { pullRequest: { reviewThreads } } } } };
    },
  };
  const wire = await open();
  const args = { ...repo, pull_number: 1, method: "get_review_comments" };
  const { structured } = await tryTool(wire, "pull_request_read", args);
  expect((structured["items"] as Fields[]).map(({ body }) => body)).toEqual(comments.map(({ body }) => body));
});

it("a link to nowhere can be deleted, and not be taken for a file", async () => {
  const link = { type: "symlink", path: "gone", sha: "abc1", size: 4, target: "nope" };
  api.script = {
    [`GET ${at}/contents/gone`]: { body: link },
    [`DELETE ${at}/contents/gone`]: { body: { commit: { sha: "b" } } },
  };
  const wire = await open();
  const file = { ...repo, path: "gone", branch: "main", message: "m" };
  expect((await tryTool(wire, "get_file_contents", { ...repo, path: "gone" })).text).toMatch(
    /points to "nope"/,
  );
  const written = await tryTool(wire, "create_or_update_file", { ...file, content: "x", sha: "abc1" });
  expect(written.error).toMatchObject({ code: "invalid_input", details: { link_to: "nope" } });
  const { error, text } = await tryTool(wire, "delete_file", file);
  expect(error, text).toBeUndefined();
  expect(JSON.parse(api.asked.at(-1)?.body ?? "")).toMatchObject({ sha: "abc1" });
});

it("an edit is not said to be made already because its short text is there", async () => {
  api.script = {
    [`GET ${at}/contents/a.txt`]: { body: toFileBody("a.txt", "let a = 1;\n") },
    [`GET ${at}/x`]: missing,
  };
  const edits = [{ old_text: "const b", new_text: "a" }];
  const file = { ...repo, path: "a.txt", branch: "main", message: "m", edits };
  const { error, text } = await tryTool(await open(), "edit_file", file);
  expect(error).toMatchObject({ code: "not_found" });
  expect(text).not.toMatch(/made already/);
});
