import { beforeEach, describe, expect, it } from "vitest";

import { callTool } from "../support/calls.ts";
import type { Wire } from "../support/wire.ts";
import { openGithub, tryTool } from "./program.ts";
import { type ScriptedReply, toBlobSha, toFileBody } from "./scripted-api.ts";
import { useScriptedApi } from "./use-scripted-api.ts";

const repo = { owner: "octo", repo: "app" };
const ISSUES = "GET /repos/octo/app/issues";
const POST = "POST /repos/octo/app/issues";
const issue = { number: 1, title: "A", state: "open", user: { login: "octo" }, author_association: "OWNER" };
const limited = (headers: Record<string, string>, message = "API rate limit exceeded"): ScriptedReply => ({
  status: 403,
  headers,
  body: { message },
});
const inSeconds = (seconds: number): string => String(Math.ceil(Date.now() / 1000) + seconds);
/** As of a proxy that does not know us. */
const LOGIN: ScriptedReply = { headers: { "content-type": "text/html" }, body: "<html>Please log in</html>" };
/** First one answer, then the other, forever. */
const firstThen = (first: ScriptedReply, then: ScriptedReply) => {
  let count = 0;
  return (): ScriptedReply => (count++ === 0 ? first : then);
};

const api = await useScriptedApi();
let wire: Wire;
beforeEach(async () => {
  wire = await openGithub(api.url, ["--timeout", "20s"]);
});

describe("answers that are known", () => {
  it("are asked for with their ETag, and taken from the cache", async () => {
    api.script = {
      [ISSUES]: ({ headers }) =>
        headers["if-none-match"] === '"one"'
          ? { status: 304, headers: { etag: '"one"' } }
          : { headers: { etag: '"one"' }, body: [issue] },
    };
    const first = await tryTool(wire, "list_issues", repo);
    const second = await tryTool(wire, "list_issues", repo);
    expect(second.structured).toEqual(first.structured);
    expect(api.asked.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"one"']);
    // More often than there may be requests at a time: an answer without a body holds no place.
    for (let count = 0; count < 10; count += 1)
      expect((await tryTool(wire, "list_issues", repo)).error).toBeUndefined();
    expect(api.asked).toHaveLength(12);
  });
});

describe("limits", () => {
  it("are waited out where there is time", async () => {
    api.script = {
      [ISSUES]: firstThen(limited({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": inSeconds(0) }), {
        body: [issue],
      }),
    };
    const { structured } = await tryTool(wire, "list_issues", repo);
    expect(structured["items"]).toHaveLength(1);
    expect(api.asked).toHaveLength(2);
  });

  it("are told where there is none", async () => {
    const rows: readonly [ScriptedReply, RegExp][] = [
      [
        limited({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": inSeconds(3600) }),
        /rate limit for core/,
      ],
      [limited({ "retry-after": "70" }, "You have exceeded a secondary rate limit"), /secondary rate limit/],
      [{ status: 429, headers: { "retry-after": "70" }, body: { message: "slow down" } }, /limit/],
    ];
    for (const [told, words] of rows) {
      api.script = { [ISSUES]: told };
      api.asked.length = 0;
      const { error, text } = await tryTool(wire, "list_issues", repo);
      expect(error).toMatchObject({ code: "rate_limited", retryable: true });
      expect(Number(error?.["retryAfterMs"])).toBeGreaterThan(60_000);
      expect(text).toMatch(words);
      expect(api.asked).toHaveLength(1);
    }
  });
});

describe("limits of GraphQL, which come with status 200,", () => {
  it("are told as limits", async () => {
    const errors = [{ type: "RATE_LIMITED", message: "API rate limit exceeded" }];
    const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": inSeconds(3600) };
    api.script = { "POST /graphql": { headers, body: { data: null, errors } } };
    const args = { ...repo, pull_number: 1347, method: "get_review_comments" };
    const { error, text } = await tryTool(wire, "pull_request_read", args);
    expect(error).toMatchObject({ code: "rate_limited", retryable: true });
    expect(text).toContain("rate limit for graphql requests");
    expect(Number(error?.["retryAfterMs"])).toBeGreaterThan(60_000);
    expect(api.asked).toHaveLength(1);
  });
});

describe("failures of GitHub's", () => {
  it("are tried again for a reader", async () => {
    api.script = { [ISSUES]: firstThen({ status: 502, body: {} }, { body: [issue] }) };
    expect((await tryTool(wire, "list_issues", repo)).structured["items"]).toHaveLength(1);
    expect(api.asked).toHaveLength(2);
  });

  it("end after a few tries", async () => {
    api.script = { [ISSUES]: { status: 503, body: {} } };
    const { error } = await tryTool(wire, "list_issues", repo);
    expect(error).toMatchObject({ code: "unavailable", retryable: true });
    expect(api.asked).toHaveLength(3);
  });

  it.each([
    ["an error", { status: 502, body: {} }],
    ["a broken connection", { raw: (response) => response.destroy() }],
    ["a page for people", LOGIN],
  ] as [string, ScriptedReply][])("never let a write be made twice: %s", async (_, told) => {
    api.script = { [POST]: told };
    const { error, text } = await tryTool(wire, "issue_write", { ...repo, method: "create", title: "A" });
    expect(error).toMatchObject({ code: "unavailable", retryable: false });
    expect(text).toMatch(/unknown whether this was done/);
    expect(api.asked).toHaveLength(1);
  });

  it("are told of a connection that breaks", async () => {
    api.script = { [ISSUES]: { raw: (response) => response.destroy() } };
    const { error } = await tryTool(wire, "list_issues", repo);
    expect(error).toMatchObject({ code: "unavailable" });
  });

  it("are told of what is not GitHub's answer; one without a body is", async () => {
    api.script = { [ISSUES]: LOGIN, "POST /graphql": LOGIN, "GET /user": LOGIN };
    for (const [tool, args] of [
      ["list_issues", repo],
      ["pull_request_read", { ...repo, pull_number: 1, method: "get_review_comments" }],
      ["create_repository", { name: "new" }],
    ] as const) {
      const { error } = await tryTool(wire, tool, args);
      expect(error, tool).toMatchObject({ code: "unavailable", retryable: true });
    }
    const pullRequest = { repository: { nameWithOwner: "octo/app" } };
    api.script = {
      "POST /graphql": ({ body }) => ({
        body: body.includes("mutation") ? { message: "Sorry" } : { data: { node: { pullRequest } } },
      }),
    };
    const thread = { ...repo, pull_number: 1, method: "resolve_thread", thread_id: "PRRT_1" };
    const unanswered = await tryTool(wire, "pull_request_review_write", thread);
    expect(unanswered.error).toMatchObject({ code: "unavailable", retryable: false });
    expect(unanswered.text).toMatch(/without data: Sorry[^]*unknown whether this was done/);
    for (const status of [201, 202, 204]) {
      api.script = { [POST]: { status } };
      const { error, text } = await tryTool(wire, "issue_write", { ...repo, method: "create", title: "A" });
      expect(error, text).toBeUndefined();
    }
  });

  it("do not hold a call beyond its deadline: a slow body", async () => {
    api.script = {
      [ISSUES]: {
        raw: (response) => void response.writeHead(200, { "content-type": "application/json" }).write("["),
      },
    };
    const { error } = await tryTool(wire, "list_issues", repo, { "dev.suite/timeoutMs": 1500 });
    expect(error).toMatchObject({ code: "timeout" });
  });

  it("leave it unknown whether a write was made that was stopped at its deadline", async () => {
    api.script = { [POST]: { raw: () => undefined } };
    const args = { ...repo, method: "create", title: "A" };
    const { error, text } = await tryTool(wire, "issue_write", args, { "dev.suite/timeoutMs": 1500 });
    expect(error).toMatchObject({ code: "timeout", retryable: false });
    expect(text).toMatch(/unknown whether this was done/);
    expect(api.asked).toHaveLength(1);
  });

  it("do not fill the memory: an answer without end", async () => {
    const piece = Buffer.alloc(1024 * 1024, " ");
    api.script = {
      [ISSUES]: {
        raw: (response) => {
          response.writeHead(200, { "content-type": "application/json" });
          const more = (): void => {
            while (!response.destroyed && response.write(piece));
            if (!response.destroyed) response.once("drain", more);
          };
          more();
        },
      },
    };
    const { error } = await tryTool(wire, "list_issues", repo);
    expect(error).toMatchObject({
      code: "too_large",
      hint: expect.stringMatching(/^Ask for less/) as string,
    });
  });
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
      body: { message: "no" },
    },
    "permission_denied",
    /issues: write or pull_requests: write/,
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
    const { error } = await tryTool(wire, "push_files", { ...to, files: [file] });
    expect(error).toMatchObject({ hint: expect.stringContaining("create_or_update_file") as string });
  });
});

describe("repeated writes", () => {
  it("are made once for one key", async () => {
    api.script = {
      [POST]: { status: 201, body: { ...issue, html_url: "https://github.com/octo/app/issues/1" } },
    };
    const meta = { "dev.suite/idempotencyKey": "k1" };
    const args = { ...repo, method: "create", title: "A" };
    const [first, second] = [
      await callTool(wire, "issue_write", args, { meta }),
      await callTool(wire, "issue_write", args, { meta }),
    ];
    expect(second.result).toEqual(first.result);
    expect(api.lines()).toEqual([POST]);
  });
});
