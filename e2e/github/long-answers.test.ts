import { beforeEach, describe, expect, it } from "vitest";

import type { Fields } from "../support/message.ts";
import type { Wire } from "../support/wire.ts";
import { openGithub, tryTool } from "./program.ts";
import { toFileBody } from "./scripted-api.ts";
import { useScriptedApi } from "./use-scripted-api.ts";

const repo = { owner: "octo", repo: "app" };
const issue = { number: 1, title: "A", state: "open", user: { login: "octo" }, author_association: "OWNER" };

const api = await useScriptedApi();
let wire: Wire;
beforeEach(async () => {
  wire = await openGithub(api.url, ["--timeout", "20s"]);
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
      const { structured } = await tryTool(wire, tool, {
        ...repo,
        ...args,
        ...(cursor !== undefined && { cursor }),
      });
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
    const bodies = await readAll("issue_read", { issue_number: 1 }, ({ item }) => (item as Fields)["body"]);
    expect(bodies.join("")).toBe(text);
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
});
