import type { Fields } from "@suite/check/wires";
import { conceal } from "@suite/server-kit/domain";
import { beforeEach, describe, expect, it } from "vitest";

import type { Wire } from "../support/wire.ts";
import { shareGithub, tryTool } from "./program.ts";
import { type Script, toFileBody } from "./scripted-api.ts";
import { useScriptedApi } from "./use-scripted-api.ts";

const repo = { owner: "octo", repo: "app" };
const issue = { number: 1, title: "A", state: "open", user: { login: "octo" }, author_association: "OWNER" };

const api = await useScriptedApi();
const open = shareGithub(api.url, ["--timeout", "20s", "--toolsets", "all"]);
let wire: Wire;
beforeEach(async () => {
  wire = await open();
});

describe("long answers", () => {
  /** What each part has to give, one after the other, until there is no cursor. */
  async function readAll<T>(
    tool: string,
    args: object,
    partOf: (structured: Fields) => T,
  ): Promise<readonly T[]> {
    const parts: T[] = [];
    let cursor: unknown;
    do {
      const { structured, error } = await tryTool(wire, tool, {
        ...repo,
        ...args,
        ...(cursor !== undefined && { cursor }),
      });
      expect(error, tool).toBeUndefined();
      expect(JSON.stringify(structured).length).toBeLessThanOrEqual(40_000);
      parts.push(partOf(structured));
      cursor = structured["next_cursor"];
    } while (cursor !== undefined && parts.length < 20);
    return parts;
  }

  it("are given in parts, and the parts make the whole: a diff", async () => {
    const diff = Array.from({ length: 12 }, (_, file) =>
      [
        `diff --git a/${file} b/${file}`,
        ...Array.from({ length: 400 }, (__, line) => `+line ${line} of "${file}"`),
        "",
      ].join("\n"),
    ).join("");
    api.script = { "GET /repos/octo/app/pulls/7": { body: diff } };
    const parts = await readAll(
      "pull_request_read",
      { pull_number: 7, method: "get_diff" },
      ({ text }) => text,
    );
    expect(parts.join("")).toBe(diff);
    expect(parts.length).toBeGreaterThan(2);
  });

  it("are given in parts: a file, and the body of an issue", async () => {
    const text = 'A line of some length, with "quotes" in it.\n'.repeat(3000);
    api.script = {
      "GET /repos/octo/app/contents/a.txt": { body: toFileBody("a.txt", text) },
      "GET /repos/octo/app/issues/1": { body: { ...issue, body: text } },
    };
    const file = await readAll("get_file_contents", { path: "a.txt" }, ({ text: part }) => part);
    expect(file.join("")).toBe(text);
    expect(file.length).toBeGreaterThan(2);
    for (const part of file) expect(part).toMatch(/it\.\n$/);
    const bodies = await readAll("issue_read", { issue_number: 1 }, ({ item }) => (item as Fields)["body"]);
    expect(bodies.join("")).toBe(text);
  });

  it("are not continued in another version", async () => {
    const body = "A line of some length.\n".repeat(3000);
    const toTree = (text: string) => ({
      sha: text.slice(0, 1),
      tree: Array.from({ length: 3000 }, (_, at) => ({ path: `a/long/path/to/${at}`, type: "blob" })),
    });
    const toScript = (text: string): Script => ({
      "GET /repos/octo/app/contents/a.txt": { body: toFileBody("a.txt", text) },
      "GET /repos/octo/app/contents/src": {
        body: Array.from({ length: 900 }, (_, at) => ({ name: `${text.slice(0, 60)}${at}`, type: "file" })),
      },
      "GET /repos/octo/app/git/trees/HEAD": { body: toTree(text) },
      "GET /repos/octo/app/pulls/7": { body: `diff --git a/a b/a\n${text}` },
      "GET /repos/octo/app/issues/1": { body: { ...issue, body: text } },
      "GET /repos/octo/app/compare/v1...main": {
        body: { files: ["a", "b"].map((filename) => ({ filename, sha: text.slice(0, 1) })) },
      },
    });
    for (const [tool, args] of [
      ["get_file_contents", { path: "a.txt" }],
      ["get_file_contents", { path: "src" }],
      ["get_repository_tree", { recursive: true }],
      ["pull_request_read", { pull_number: 7, method: "get_diff" }],
      ["issue_read", { issue_number: 1 }],
      ["get_commit", { base: "v1", sha: "main", limit: 1 }],
    ] as const) {
      api.script = toScript(body);
      const { structured } = await tryTool(wire, tool, { ...repo, ...args });
      api.script = toScript(`B${body}`);
      const more = { ...repo, ...args, cursor: structured["next_cursor"] };
      expect.soft((await tryTool(wire, tool, more)).error, JSON.stringify(args)).toMatchObject({
        code: "conflict",
        hint: "Read it again without cursor.",
      });
    }
  });

  it("are lists that continue within a page and with the next one", async () => {
    const bodies = (page: number) =>
      Array.from({ length: 3 }, (_, at) => ({
        id: page * 10 + at,
        body: "x".repeat(15_000),
        user: { login: "octo" },
      }));
    api.script = {
      "GET /repos/octo/app/issues/1/comments": ({ path }) => {
        const page = Number(new URL(path, "http://x").searchParams.get("page"));
        const next = `<${api.url}/next>; rel="next"`;
        return { body: bodies(page), ...(page < 2 && { headers: { link: next } }) };
      },
    };
    const args = { issue_number: 1, method: "get_comments", limit: 3 };
    const pages = await readAll("issue_read", args, ({ items }) => items as { id: number }[]);
    expect(pages.flat().map(({ id }) => id)).toEqual([10, 11, 12, 20, 21, 22]);
  });

  it("may continue with another limit, and nothing is lost or repeated", async () => {
    const all = Array.from({ length: 13 }, (_, at) => at);
    const edges = all.map((at) => ({
      id: `t${at}`,
      comments: { nodes: [{ databaseId: at, body: "x".repeat(9000) }], totalCount: 1 },
    }));
    api.script = {
      "GET /repos/octo/app/tags": ({ path }) => {
        const asked = new URL(path, api.url).searchParams;
        const [size, page] = [Number(asked.get("per_page")), Number(asked.get("page"))];
        const link = `<${api.url}/next>; rel="next"`;
        return {
          body: all.slice((page - 1) * size, page * size).map((at) => ({ name: `v${at}` })),
          ...(page * size < all.length && { headers: { link } }),
        };
      },
      "POST /graphql": ({ body }) => {
        const { variables } = JSON.parse(body) as { variables: { first: number; after: string | null } };
        const end = Number(variables.after ?? 0) + variables.first;
        const pageInfo = { hasNextPage: end < all.length, endCursor: String(end) };
        const reviewThreads = { nodes: edges.slice(Number(variables.after ?? 0), end), pageInfo };
        return { body: { data: { repository: { pullRequest: { reviewThreads } } } } };
      },
    };
    const threads = { pull_number: 7, method: "get_review_comments" };
    for (const [tool, args, field] of [
      ["list_tags", {}, "name"],
      ["pull_request_read", threads, "id"],
    ] as const) {
      const found: unknown[] = [];
      let cursor: unknown;
      for (const limit of [6, 2, 30, 4, 3, 5, 1, 1, 1, 1]) {
        const given = { ...repo, ...args, limit, ...(cursor !== undefined && { cursor }) };
        const { structured, error } = await tryTool(wire, tool, given);
        expect(error, tool).toBeUndefined();
        const items = structured["items"] as Fields[];
        expect(items.length).toBeLessThanOrEqual(limit);
        found.push(...items.map((item) => item[field]));
        cursor = structured["next_cursor"];
        if (cursor === undefined) break;
      }
      expect(found).toEqual(all.map((at) => (field === "id" ? at : `v${at}`)));
    }
  });

  it("have no more threads than this page's limit, whatever that of the one before was", async () => {
    const firsts: number[] = [];
    api.script = {
      "POST /graphql": ({ body }) => {
        firsts.push((JSON.parse(body) as { variables: { first: number } }).variables.first);
        const reviewThreads = { nodes: [], pageInfo: { hasNextPage: true, endCursor: "x" } };
        return { body: { data: { repository: { pullRequest: { reviewThreads } } } } };
      },
    };
    const args = { ...repo, pull_number: 7, method: "get_review_comments" };
    const { structured } = await tryTool(wire, "pull_request_read", { ...args, limit: 30 });
    await tryTool(wire, "pull_request_read", { ...args, limit: 2, cursor: structured["next_cursor"] });
    expect(firsts).toEqual([30, 2]);
  });

  it("have room for what is hidden in them, once it is shown", async () => {
    const hidden = `x${"\u200B".repeat(8000)}y`;
    const by = { user: { login: "mallory" }, author_association: "NONE" };
    const comments = [
      { id: 1, body: hidden, ...by },
      { id: 2, body: "Fine", ...by },
    ];
    const titles = Array.from({ length: 30 }, (_, at) => ({
      ...issue,
      number: at + 1,
      title: "\u200B".repeat(250),
    }));
    const files = [{ filename: "a.txt", patch: hidden }, { filename: "b.txt" }];
    const diff = `diff --git a/a b/a\n+${hidden}\ndiff --git a/b b/b\n+b\n`;
    api.script = {
      "GET /repos/octo/app/issues/1": { body: { ...issue, body: hidden } },
      "GET /repos/octo/app/issues/1/comments": { body: comments },
      "GET /repos/octo/app/issues": { body: titles },
      "GET /repos/octo/app/contents/a.txt": { body: toFileBody("a.txt", hidden) },
      "GET /repos/octo/app/pulls/7": { body: diff },
      "GET /repos/octo/app/commits/main": { body: { sha: "a1", commit: { message: hidden }, files } },
    };
    const read = async (
      tool: string,
      args: object,
      partOf: (structured: Fields) => unknown,
    ): Promise<string> => conceal((await readAll(tool, args, partOf)).join(""));
    const bodyOf = ({ item }: Fields): unknown => (item as Fields)["body"];
    expect(await read("issue_read", { issue_number: 1 }, bodyOf)).toBe(hidden);
    expect(await read("get_file_contents", { path: "a.txt" }, ({ text }) => text)).toBe(hidden);
    expect(await read("pull_request_read", { pull_number: 7, method: "get_diff" }, ({ text }) => text)).toBe(
      diff,
    );
    const messageOf = ({ item }: Fields): unknown => (item as Fields)["message"];
    expect(await read("get_commit", { sha: "main", detail: "none" }, messageOf)).toBe(hidden);
    const fieldOf =
      (name: string) =>
      ({ items }: Fields): unknown =>
        (items as Fields[]).map((item) => item[name]).join("");
    expect(await read("issue_read", { issue_number: 1, method: "get_comments" }, fieldOf("body"))).toBe(
      `${hidden}Fine`,
    );
    expect(await read("get_commit", { sha: "main", detail: "full" }, fieldOf("patch"))).toBe(hidden);
    expect(await read("list_issues", {}, fieldOf("title"))).toBe("\u200B".repeat(30 * 250));
  });

  it("are the end of a log, whatever is in its lines", async () => {
    const lines = ["first", "\u200B".repeat(8000), "last"];
    api.script = { "GET /repos/octo/app/actions/jobs/8/logs": { body: lines.join("\n") } };
    const { text, structured } = await tryTool(wire, "get_job_logs", { ...repo, job_id: 8 });
    expect(text).toMatch(/first\n(?:\\u\{200B\})+…\nlast\n/);
    expect(structured["truncated"]).toBe(true);
  });

  it("are the first errors of a log, as many as it says", async () => {
    const numbers = Array.from({ length: 40 }, (_, at) => at + 1);
    const errors = numbers.map((number) => `##[error]E${number} ${"x".repeat(150)}\n`).join("");
    const jobs = numbers.slice(0, 10).map((id) => ({ id, name: `job${id}`, conclusion: "failure" }));
    const logs = jobs.map(({ id }) => [
      `GET /repos/octo/app/actions/jobs/${id}/logs`,
      { body: `${errors}${"end\n".repeat(300)}` },
    ]);
    api.script = {
      "GET /repos/octo/app/actions/runs/9/jobs": { body: { jobs } },
      ...(Object.fromEntries(logs) as Script),
    };
    const { structured } = await tryTool(wire, "get_job_logs", { ...repo, run_id: 9 });
    const [, first = ""] = String(structured["text"]).split(/^== /m);
    const [, said = "0"] = /and (\d+) of 40 error lines/.exec(first) ?? [];
    expect(Number(said)).toBeGreaterThan(5);
    expect(first.match(/E\d+(?= x)/g)).toEqual(numbers.slice(0, Number(said)).map((number) => `E${number}`));
  });

  it("are the comments of review threads, each of them whole", async () => {
    const long = `x${"\u200B".repeat(8000)}y`;
    const bodies = [long, "Fine", "So"];
    const thread = (at: number) => ({
      id: `PRRT_${at}`,
      comments: { nodes: bodies.map((body, id) => ({ databaseId: 10 * at + id, body })) },
    });
    api.script = {
      "POST /graphql": ({ body }) => {
        const isFirst = body.includes('"after":null');
        const pageInfo = { hasNextPage: isFirst, endCursor: "2" };
        const reviewThreads = { pageInfo, nodes: [thread(isFirst ? 1 : 2)] };
        return { body: { data: { repository: { pullRequest: { reviewThreads } } } } };
      },
    };
    const args = { pull_number: 7, method: "get_review_comments" };
    const parts = await readAll("pull_request_read", args, ({ items }) => items as Fields[]);
    const textOf = (id: number): string =>
      parts.flatMap((part) => part.filter((item) => item["id"] === id).map(({ body }) => body)).join("");
    for (const id of [10, 11, 12, 20, 21, 22]) expect(conceal(textOf(id))).toBe(bodies[id % 10]);
    expect(parts.flat().at(-1)).toMatchObject({ thread_id: "PRRT_2", id: 22 });
  });
});
