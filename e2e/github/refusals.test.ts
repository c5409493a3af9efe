import { beforeEach, describe, expect, it } from "vitest";

import type { Wire } from "../support/wire.ts";
import { openGithub, tryTool } from "./program.ts";
import { firstThen, type ScriptedReply, toBlobSha, toFileBody } from "./scripted-api.ts";
import { useScriptedApi } from "./use-scripted-api.ts";

const repo = { owner: "octo", repo: "app" };
const POST = "POST /repos/octo/app/issues";

const api = await useScriptedApi();
let wire: Wire;
beforeEach(async () => {
  wire = await openGithub(api.url, ["--timeout", "20s"]);
});

const REFUSALS: readonly [string, ScriptedReply, string, RegExp][] = [
  [
    "401",
    { status: 401, body: { message: "Bad credentials" } },
    "permission_denied",
    /token is no longer valid/,
  ],
  [
    "403 for a fine-grained token",
    {
      status: 403,
      headers: { "x-accepted-github-permissions": "issues=write; pull_requests=write" },
      body: { message: "Resource not accessible by personal access token" },
    },
    "permission_denied",
    /issues: write or pull_requests: write/,
  ],
  [
    "403 for a locked issue, with a fine-grained token",
    {
      status: 403,
      headers: { "x-accepted-github-permissions": "issues=write; pull_requests=write" },
      body: { message: "Unable to create comment because issue is locked." },
    },
    "permission_denied",
    /issue is locked\.\)\.\nSee GitHub's reason above/,
  ],
  ["404", { status: 404, body: { message: "Not Found" } }, "not_found", /token cannot see/],
  [
    "422",
    {
      status: 422,
      body: {
        message: "Validation Failed",
        errors: [{ resource: "Issue", field: "title", code: "missing_field" }],
      },
    },
    "invalid_input",
    /Issue.title: missing field/,
  ],
  [
    "422 for what is there already",
    {
      status: 422,
      body: {
        message: "Validation Failed",
        errors: [
          { resource: "PullRequest", code: "custom", message: "A pull request already exists for o:a." },
        ],
      },
    },
    "invalid_input",
    /already exists for o:a\.\nSee GitHub's reason above\. Check the current state/,
  ],
  [
    "422 for a name",
    { status: 422, body: { message: "No commit found for SHA: nope" } },
    "invalid_input",
    /\nSee GitHub's reason above\. Check the current state/,
  ],
  [
    "403 for what is archived",
    {
      status: 403,
      headers: { "x-oauth-scopes": "repo, user", "x-accepted-oauth-scopes": "public_repo, repo" },
      body: { message: "Repository was archived so is read-only." },
    },
    "permission_denied",
    /archived so is read-only\.\)\.\nSee GitHub's reason above/,
  ],
  [
    "403 for what is too large",
    {
      status: 403,
      headers: { "x-oauth-scopes": "repo", "x-accepted-oauth-scopes": "" },
      body: {
        message: "This API returns blobs up to 100 MB in size.",
        errors: [{ resource: "Blob", field: "data", code: "too_large" }],
      },
    },
    "too_large",
    /Blob\.data: too large\.$/,
  ],
  [
    "406 for a diff that is too large",
    {
      status: 406,
      body: {
        message: "Sorry, the diff exceeded the maximum number of lines (20000)",
        errors: [{ resource: "PullRequest", field: "diff", code: "too_large" }],
      },
    },
    "too_large",
    /get_files lists the files/,
  ],
  ["410", { status: 410, body: { message: "Issues are disabled" } }, "not_found", /Issues are disabled/],
  // The last: what such a token cannot do is not offered any more.
  [
    "403 for a classic token",
    {
      status: 403,
      headers: { "x-oauth-scopes": "gist", "x-accepted-oauth-scopes": "repo" },
      body: { message: "no" },
    },
    "permission_denied",
    /has the scopes "gist" and needs one of "repo"/,
  ],
];

describe("refusals", () => {
  it("are explained", async () => {
    for (const [name, told, code, words] of REFUSALS) {
      api.script = { [POST]: told };
      const { error, text } = await tryTool(wire, "issue_write", { ...repo, method: "create", title: "A" });
      expect(error, name).toMatchObject({ code });
      expect(text, name).toMatch(words);
    }
  });

  it("of a query name what was really sent", async () => {
    api.script = { "POST /graphql": { status: 403, body: { message: "no" } } };
    const args = { ...repo, pull_number: 1, method: "get_review_comments" };
    const { text } = await tryTool(wire, "pull_request_read", args);
    expect(text).toContain("GitHub refused POST /graphql (403: no).");
  });
});

describe("a file that could not be written", () => {
  const shaders = { owner: "octo", repo: "shaders" };
  const FILE = "/repos/octo/shaders/contents/sha.txt";
  const sha = toBlobSha("old");
  const args = { ...shaders, path: "sha.txt", branch: "main", message: "m", content: "new", sha };
  const refuse = (status: number, message: string, content: string): void => {
    api.script = {
      [`GET ${FILE}`]: firstThen(
        { body: toFileBody("sha.txt", "old") },
        { body: toFileBody("sha.txt", content) },
      ),
      [`PUT ${FILE}`]: { status, body: { message } },
    };
  };

  it.each([
    [409, "sha.txt does not match s"],
    [422, 'Invalid request.\n\n"sha" wasn\'t supplied.'],
  ])("is named with the sha that it has now (%s)", async (status, message) => {
    refuse(status, message, "other");
    const { error, text } = await tryTool(wire, "create_or_update_file", args);
    expect(error).toMatchObject({ code: "conflict", details: { sha: toBlobSha("other") } });
    expect(text).toContain(`its sha is ${toBlobSha("other")}`);
  });

  it.each([
    [409, "Repository rule violations found", "old", "conflict"],
    [422, "content is not valid Base64", "old", "invalid_input"],
    [403, "Resource not accessible by personal access token", "other", "permission_denied"],
  ])(
    "is told why in GitHub's words where that is not its sha (%s: %s)",
    async (status, message, content, code) => {
      refuse(status, message, content);
      const { error, text } = await tryTool(wire, "create_or_update_file", args);
      expect(error).toMatchObject({ code, details: { status } });
      expect(text).toContain(message);
      expect(text).not.toMatch(/its sha is|has changed/);
    },
  );
});

it.each([
  [409, "Repository rule violations found\n\nChanges must be made through a pull request.\n\n"],
  [422, "At least 1 approving review is required by reviewers with write access."],
])("a branch with rules: another one is to be used (%s)", async (status, message) => {
  api.script = {
    "GET /repos/octo/app/contents/a.txt": { body: toFileBody("a.txt", "old") },
    "PUT /repos/octo/app/contents/a.txt": { status, body: { message } },
  };
  const edits = [{ old_text: "old", new_text: "new" }];
  const { text } = await tryTool(wire, "edit_file", {
    ...repo,
    path: "a.txt",
    branch: "main",
    message: "m",
    edits,
  });
  expect(text).toContain("write to another branch (create_branch), and open a pull request");
});

it("a head that has moved is to be read again before it is merged", async () => {
  const message = "Head branch was modified. Review and try the merge again.";
  api.script = { "PUT /repos/octo/app/pulls/7/merge": { status: 409, body: { message } } };
  const { error } = await tryTool(wire, "merge_pull_request", { ...repo, pull_number: 7, sha: "a1" });
  expect(error).toMatchObject({ code: "conflict", hint: expect.stringContaining("read it again") as string });
});

describe("a repository without a commit", () => {
  it("gets its first file, and says so of what needs one", async () => {
    const nothing = { status: 409, body: { message: "Git Repository is empty." } };
    api.script = {
      "GET /repos/octo/app/contents/a.txt": { status: 404, body: { message: "This repository is empty." } },
      "GET /repos/octo/app/git/ref/heads/main": nothing,
      "PUT /repos/octo/app/contents/a.txt": {
        status: 201,
        body: { content: { sha: "a" }, commit: { sha: "b" } },
      },
    };
    const file = { path: "a.txt", content: "x" };
    const to = { ...repo, branch: "main", message: "m" };
    const first = await tryTool(wire, "create_or_update_file", { ...to, ...file });
    expect(first.structured["changed"], first.text).toEqual(["a.txt on main of octo/app, created"]);
    const hint = expect.stringContaining("create_or_update_file") as string;
    const { error } = await tryTool(wire, "push_files", { ...to, files: [file] });
    expect(error).toMatchObject({ hint });
    const listed = await tryTool(wire, "get_file_contents", { ...repo, path: "a.txt" });
    expect(listed.error).toMatchObject({ code: "not_found", hint });
  });
});
