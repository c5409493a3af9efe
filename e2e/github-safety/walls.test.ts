import { describe, expect, it } from "vitest";

import { openGithub, tryTool } from "../github/program.ts";
import { ROWS } from "../github/request-rows.ts";
import { useScriptedApi } from "../github/use-scripted-api.ts";
import { PUBLIC, SECRET, STAGE } from "./stage.ts";

const api = await useScriptedApi(STAGE);

const WALLS = ["--repos", "octo/*", "--write-repos", "octo/app", "--toolsets", "all"];

describe("the lists of repositories", () => {
  it("keep every tool and method away from others", async () => {
    const wire = await openGithub(api.url, WALLS);
    const aimed = ROWS.filter(({ args }) => args["owner"] !== undefined);
    const allowed: string[] = [];
    for (const { tool, args } of aimed) {
      for (const more of [{}, { dry_run: true }]) {
        const { error } = await tryTool(wire, tool, {
          ...args,
          ...("message" in args || tool.includes("write") ? more : {}),
        });
        if (error === undefined) allowed.push(tool);
      }
    }
    expect(allowed).toEqual([]);
    expect(api.asked.map(({ path }) => path).filter((path) => /hello-world|octocat/i.test(path))).toEqual([]);
    expect(aimed.length).toBeGreaterThan(60);
  });

  it("keep resources, prompts and completion away from others", async () => {
    const wire = await openGithub(api.url, WALLS);
    const other = { owner: "evil", repo: "other" };
    const answers = [
      await wire.request("resources/read", { uri: "repo://evil/other/contents/README.md" }),
      await wire.request("resources/read", { uri: "repo://evil/other/issues/1" }),
      await wire.request("prompts/get", { name: "plan_issue", arguments: { ...other, issue_number: "1" } }),
    ];
    expect(answers.map(({ error }) => /not among the repositories/.test(String(error?.message)))).toEqual([
      true,
      true,
      true,
    ]);
    const { result } = await wire.request("completion/complete", {
      ref: { type: "ref/resource", uri: "repo://{owner}/{repo}/issues/{number}" },
      argument: { name: "number", value: "" },
      context: { arguments: other },
    });
    expect(result?.["completion"]).toMatchObject({ values: [] });
    expect(api.asked).toEqual([]);
  });

  it("tell reading from writing", async () => {
    const wire = await openGithub(api.url, WALLS);
    expect(
      (await tryTool(wire, "get_file_contents", { ...SECRET, path: "README.md" })).error,
    ).toBeUndefined();
    const write = await tryTool(wire, "issue_write", { ...SECRET, method: "create", title: "x" });
    expect(write.text).toMatch(/octo\/secret is not among the repositories that this server may write/);
    const fresh = await tryTool(wire, "create_repository", { name: "other" });
    expect(fresh.error).toMatchObject({ code: "permission_denied" });
    expect(api.lines().filter((line) => line.startsWith("POST"))).toEqual([]);
  });

  it("cannot be walked around by names and paths", async () => {
    const wire = await openGithub(api.url, ["--repos", "octo/app,octo/other", "--toolsets", "all"]);
    const ways = [
      { owner: "octo", repo: "app/../secret", path: "README.md" },
      { owner: "octo/app/..", repo: "secret", path: "README.md" },
      { owner: "octo", repo: "..", path: "README.md" },
      { owner: "octo", repo: "app", path: "../../secret/contents/README.md" },
      { owner: "octo", repo: "app", path: "..%2F..%2Fsecret%2Fcontents%2FREADME.md" },
      { owner: "octo", repo: "app%2F..%2Fsecret", path: "README.md" },
      { owner: "octo", repo: "app?x=", path: "README.md" },
      { owner: "octo", repo: "app#", path: "README.md" },
      { owner: "OCTO", repo: "Secret", path: "README.md" },
    ];
    for (const args of ways) {
      expect((await tryTool(wire, "get_file_contents", args)).error, JSON.stringify(args)).toBeDefined();
    }
    expect(
      api.lines().filter((line) => /secret(\/contents)?/i.test(line) && !line.includes("app/contents/")),
    ).toEqual([]);
    expect(
      (await tryTool(wire, "get_file_contents", { owner: "OCTO", repo: "App", path: "README.md" })).error,
    ).toMatchObject({ code: "not_found" });
    api.asked.length = 0;
    for (const [tool, args] of [
      ["label_write", { method: "delete", name: ".." }],
      ["label_write", { method: "update", name: "..", new_name: "x" }],
      ["actions_run_trigger", { method: "run_workflow", workflow_id: "..", ref: "main" }],
      ["actions_get", { method: "get_workflow", resource_id: "." }],
    ] as const) {
      for (const more of tool === "actions_get" ? [{}] : [{}, { dry_run: true }]) {
        const { error } = await tryTool(wire, tool, { ...PUBLIC, ...args, ...more });
        expect(error, tool).toMatchObject({ code: "invalid_input" });
      }
    }
    expect(api.asked).toEqual([]);
  });
});

describe("a search within the lists", () => {
  const open = () => openGithub(api.url, ["--repos", "octo/app,octo/other"]);
  const queryOf = (at: number): string =>
    new URL(api.asked[at]?.path ?? "", api.url).searchParams.get("q") ?? "";

  it("is kept in them, and sifted", async () => {
    const found = {
      total_count: 3,
      items: [
        { number: 1, title: "ours", repository_url: "x/repos/octo/app" },
        { number: 2, title: "theirs", repository_url: "x/repos/evil/other" },
      ],
    };
    api.script = { ...STAGE, "GET /search/issues": { body: found } };
    const { structured } = await tryTool(await open(), "search_issues", { query: "a OR b" });
    expect(queryOf(0)).toBe("((a OR b) is:issue) (repo:octo/app OR repo:octo/other)");
    expect(structured["items"]).toMatchObject([{ title: "ours" }]);
    // A count would say what is elsewhere.
    expect(structured).not.toHaveProperty("hidden");
    expect(structured).not.toHaveProperty("total");
  });

  it("does not take qualifiers that lead out", async () => {
    const wire = await open();
    for (const query of [
      "x repo:evil/other",
      'x REPO:"evil/other"',
      "x org:evil",
      "x user:octo",
      "(repo:octo/secret)",
      "x repo:octo/app repo:evil/other",
      "x -repo:evil/other",
      "x NOT --user:mallory",
    ]) {
      expect((await tryTool(wire, "search_issues", { query })).error, query).toMatchObject({
        code: "permission_denied",
      });
    }
    expect(api.asked).toEqual([]);
  });

  it("ends in its limits", async () => {
    const wire = await open();
    for (const [query, sent] of [
      ["x repo:octo/app", "x repo:octo/app is:issue repo:octo/app"],
      ["x NOT repo:octo/app", "x NOT repo:octo/app is:issue (repo:octo/app OR repo:octo/other)"],
      ["x -repo:octo/app", "x -repo:octo/app is:issue (repo:octo/app OR repo:octo/other)"],
      ["x OR repo:octo/app", "((x OR repo:octo/app) is:issue) repo:octo/app"],
      ['"repo:octo/app"', '"repo:octo/app" is:issue repo:octo/app'],
      ['x "', undefined],
      ["x) OR (y", undefined],
      ["x (", undefined],
    ]) {
      api.asked.length = 0;
      const { error } = await tryTool(wire, "search_issues", { query });
      expect(error?.["code"], query).toBe(sent === undefined ? "invalid_input" : undefined);
      expect(api.asked.map((_, at) => queryOf(at))).toEqual(sent === undefined ? [] : [sent]);
    }
    api.asked.length = 0;
    await tryTool(wire, "search_code", { query: "x" });
    expect(queryOf(0)).toBe("x repo:octo/app repo:octo/other");
  });
});

describe("an answer from elsewhere", () => {
  const elsewhere = { number: 7, title: "Launch", body: "The launch code is 0000.", user: { login: "octo" } };
  const saysSo = [
    { repository_url: "https://api.github.com/repos/octo/secret" },
    { repository: { full_name: "octo/secret" } },
    { html_url: "https://github.com/octo/secret/issues/7" },
  ];

  it.each(saysSo)("is not shown: %j", async (place) => {
    const there = { ...elsewhere, ...place };
    api.script = {
      ...STAGE,
      "GET /repos/octo/app/issues/1/parent": { body: there },
      "GET /repos/octo/app/issues/1": { body: there },
      "GET /repos/octo/app/issues/1/sub_issues": { body: [there] },
      "GET /repos/octo/app/issues/2": { body: { number: 2, title: "Ours", parent: there } },
    };
    const wire = await openGithub(api.url, ["--repos", "octo/app,octo/other"]);
    for (const method of ["get_parent", "get", "get_sub_issues"]) {
      const { text, structured, error } = await tryTool(wire, "issue_read", {
        ...PUBLIC,
        issue_number: 1,
        method,
      });
      expect(text + JSON.stringify([structured, error ?? {}]), method).not.toMatch(/aunch|secret/);
      expect(error?.["code"], method).toBe(method === "get_sub_issues" ? undefined : "permission_denied");
    }
    const args = { ...PUBLIC, issue_number: 2, fields: ["title", "parent"] };
    expect((await tryTool(wire, "issue_read", args)).structured["item"]).toEqual({ title: "Ours" });
    const resource = await wire.request("resources/read", { uri: "repo://octo/app/issues/1" });
    expect(JSON.stringify(resource)).not.toMatch(/aunch/);
  });

  it.each(saysSo)("counts as read where it is: %j", async (place) => {
    api.script = { ...STAGE, "GET /repos/octo/app/issues/2/parent": { body: { ...elsewhere, ...place } } };
    const wire = await openGithub(api.url);
    await tryTool(wire, "issue_read", { ...PUBLIC, issue_number: 1 });
    await tryTool(wire, "issue_read", { ...PUBLIC, issue_number: 2, method: "get_parent" });
    const post = await tryTool(wire, "add_issue_comment", { ...PUBLIC, issue_number: 1, body: "0000" });
    expect(post.error).toMatchObject({ details: { guard: "taint", private: "octo/secret" } });
  });
});

describe("a single repository", () => {
  it("may be named all the same, and no other", async () => {
    const wire = await openGithub(api.url, ["--repos", "octo/app", "--toolsets", "all"]);
    api.script = { ...STAGE, "GET /repos/octo/app/notifications": { body: [] } };
    const calls = [
      ["issue_read", { issue_number: 2 }],
      ["add_issue_comment", { issue_number: 1, body: "x" }],
      ["search_issues", { query: "x" }],
      ["list_notifications", {}],
    ] as const;
    for (const [tool, args] of calls) {
      for (const place of [{}, PUBLIC, { owner: "Octo", repo: "App" }]) {
        expect((await tryTool(wire, tool, { ...args, ...place })).error, tool).toBeUndefined();
      }
      expect((await tryTool(wire, tool, { ...args, ...SECRET })).error, tool).toMatchObject({
        code: "permission_denied",
      });
    }
    expect(api.lines().filter((line) => line.includes("secret"))).toEqual([]);
  });
});

describe("the head of a pull request", () => {
  it("is in a repository that may be read", async () => {
    api.script = { ...STAGE, "POST /repos/octo/app/pulls": { status: 201, body: { number: 4 } } };
    const wire = await openGithub(api.url, ["--repos", "octo/app,friend/app"]);
    const open = async (head: string) =>
      (await tryTool(wire, "create_pull_request", { ...PUBLIC, title: "x", base: "main", head })).error;
    expect(await open("evil:x")).toMatchObject({ code: "permission_denied" });
    expect(api.asked).toEqual([]);
    for (const head of ["x", "octo:x", "friend:x"]) expect(await open(head), head).toBeUndefined();
  });
});

describe("what is behind a name", () => {
  const moved = (status: number) => ({ status, headers: { location: `${api.url}/repositories/5/issues` } });

  it("is looked at again where a repository was renamed", async () => {
    const wire = await openGithub(api.url, ["--repos", "octo/*"]);
    const page = { "GET /repositories/5/issues": { body: [] } };
    api.script = {
      ...STAGE,
      ...page,
      "GET /repos/octo/app/issues": moved(301),
      "GET /repositories/5": { body: { full_name: "evil/other" } },
    };
    expect((await tryTool(wire, "list_issues", PUBLIC)).text).toMatch(/evil\/other is not among/);
    expect(api.lines()).not.toContain("GET /repositories/5/issues");
    const other = await openGithub(api.url, ["--repos", "octo/*"]);
    api.script = { ...api.script, "GET /repositories/5": { body: { full_name: "octo/renamed" } } };
    expect((await tryTool(other, "list_issues", PUBLIC)).error).toBeUndefined();
  });

  it("is looked at again before something is written there", async () => {
    const wire = await openGithub(api.url, ["--repos", "octo/*", "--write-repos", "octo/app"]);
    const write = { ...PUBLIC, method: "create", title: "x" };
    api.script = {
      ...STAGE,
      "POST /repos/octo/app/issues": moved(307),
      "GET /repositories/5": { body: { full_name: "octo/renamed" } },
    };
    expect((await tryTool(wire, "issue_write", write)).text).toMatch(/octo\/renamed is not among .* write/);
    api.script = { ...STAGE, "POST /repos/octo/app/issues": moved(301) };
    expect((await tryTool(wire, "issue_write", write)).error).toMatchObject({ code: "conflict" });
    expect(api.lines()).not.toContain("POST /repositories/5/issues");
  });

  it("is found out for node ids before they are used", async () => {
    const wire = await openGithub(api.url, ["--repos", "octo/app,octo/other"]);
    const args = { ...PUBLIC, pull_number: 3, method: "resolve_thread" };
    const evil = await tryTool(wire, "pull_request_review_write", { ...args, thread_id: "PRRT_evil" });
    expect(evil.text).toMatch(/nothing with the id "PRRT_evil" in octo\/app/);
    const sent = (): readonly string[] =>
      api.asked.map(({ body }) => body).filter((body) => body.includes("mutation"));
    expect(sent()).toEqual([]);
    const ours = await tryTool(wire, "pull_request_review_write", { ...args, thread_id: "PRRT_ours" });
    expect(ours.error).toBeUndefined();
    expect(sent()).toHaveLength(1);
  });
});
