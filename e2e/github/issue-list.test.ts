import type { Fields } from "@suite/check/wires";
import { expect, it } from "vitest";

import { openGithub, tryTool } from "./program.ts";
import type { ReceivedRequest, ScriptedReply } from "./scripted-api.ts";
import { useScriptedApi } from "./use-scripted-api.ts";

const repo = { owner: "octo", repo: "app" };
const api = await useScriptedApi();

interface Listed extends Fields {
  readonly number: number;
  state: string;
}

/** Every third is an issue, and so are the first and the last of a long row of pull requests. */
const createIssues = (count: number): Listed[] =>
  Array.from({ length: count }, (_, at) => ({
    number: count - at,
    title: `No. ${count - at}`,
    state: "open",
    created_at: new Date(Date.UTC(2026, 0, 1) + (count - at) * 60_000).toISOString(),
    ...((at % 3 !== 0 || (at > 60 && at < 240)) && { pull_request: {} }),
  }));

/** Pages as GitHub does: by a cursor, which is a place in the order, or by number, as an old Enterprise Server. */
const list =
  (issues: readonly Listed[], by: "after" | "page") =>
  ({ path }: ReceivedRequest): ScriptedReply => {
    const query = new URL(path, api.url).searchParams;
    const open = issues.filter(({ state }) => state === "open");
    const [size, page] = [Number(query.get("per_page")), Number(query.get("page") ?? 1)];
    const message = "Pagination with the page parameter is not supported for large datasets";
    if (by === "after" && query.has("page")) return { status: 422, body: { message } };
    const after = Number(query.get("after") ?? Infinity);
    const rest = by === "after" ? open.filter(({ number }) => number < after) : open.slice((page - 1) * size);
    const body = rest.slice(0, size);
    const next = by === "after" ? `after=${body.at(-1)?.number ?? 0}` : `page=${page + 1}`;
    const link = `<${api.url}/repositories/1/issues?per_page=${size}&${next}>; rel="next"`;
    return { body, ...(rest.length > size && { headers: { link } }) };
  };

it.each([
  ["after", false],
  ["after", true],
  ["page", false],
  ["page", true],
] as const)(
  "an agent sees every issue once, in full pages (by %s, closing what it reads: %s)",
  async (by, closes) => {
    const issues = createIssues(400);
    api.script = { "GET /repos/octo/app/issues": list(issues, by) };
    const wire = await openGithub(api.url);
    const wanted = issues.filter((issue) => !("pull_request" in issue)).map(({ number }) => number);
    const seen: number[] = [];
    const sizes: number[] = [];
    for (let cursor: unknown; ;) {
      const args = { ...repo, limit: 7, ...(cursor !== undefined && { cursor }) };
      const { structured, error, text } = await tryTool(wire, "list_issues", args);
      expect(error, text).toBeUndefined();
      const numbers = (structured["items"] as Listed[]).map(({ number }) => number);
      sizes.push(numbers.length);
      seen.push(...numbers);
      if (closes) for (const issue of issues) if (numbers.includes(issue.number)) issue.state = "closed";
      cursor = structured["next_cursor"];
      if (cursor === undefined || sizes.length > 100) break;
    }
    expect(seen).toEqual(wanted);
    // By number, a page has the size of the first: twenty requests do not reach beyond so many pull requests.
    expect(sizes.slice(0, -1).filter((size) => size < 7).length).toBeLessThanOrEqual(by === "after" ? 0 : 2);
  },
);
