import { callTool } from "@suite/check/wires";
import { beforeEach, describe, expect, it } from "vitest";

import type { Wire } from "../support/wire.ts";
import { openGithub, tryTool } from "./program.ts";
import { firstThen, type ScriptedReply } from "./scripted-api.ts";
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
  it("are tried again for a reader, a few times", async () => {
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
