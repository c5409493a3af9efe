import { listTools } from "@suite/check/wires";
import { countTokens } from "gpt-tokenizer";
import { describe, expect, it } from "vitest";

import { openGithub, runGithub, TOKEN, tryTool } from "./program.ts";
import { useScriptedApi } from "./use-scripted-api.ts";

const repo = { owner: "octo", repo: "app" };
const api = await useScriptedApi();

describe("the list of tools", () => {
  it("costs less than 4,000 tokens by default, and asks GitHub nothing", async () => {
    const tools = await listTools(await openGithub(api.url));
    const seen = tools.map(({ name, inputSchema, ...rest }) => ({
      name,
      description: (rest as { description?: string }).description,
      inputSchema,
    }));
    expect(countTokens(JSON.stringify(seen))).toBeLessThan(4000);
    expect(JSON.stringify(seen).length / 4).toBeLessThan(4000);
    expect(tools.length).toBeGreaterThan(25);
    expect(api.asked).toEqual([]);
  });

  it("follows the toolsets, and says which one a tool is in", async () => {
    const wire = await openGithub(api.url, ["--toolsets", "issues,labels"]);
    const names = (await listTools(wire)).map(({ name }) => name);
    expect(names.toSorted()).toEqual([
      "add_issue_comment",
      "comment_write",
      "issue_read",
      "issue_write",
      "label_write",
      "list_issues",
      "list_label",
      "search_issues",
    ]);
    const { error } = await tryTool(wire, "actions_list", {});
    expect(String(error?.["message"])).toMatch(/--toolsets default,actions/);
    const former = await tryTool(wire, "list_workflow_runs", {});
    expect(String(former.error?.["message"])).toMatch(/, now actions_list \(.*--toolsets default,actions/);
    const chosen = await listTools(await openGithub(api.url, ["--tools", "actions_get,list_label"]));
    expect(chosen.map(({ name }) => name).toSorted()).toEqual(["actions_get", "list_label"]);
  });

  it("does not start with a toolset that there is not", async () => {
    const misspelt = 'expected some of context, .*, default, all, got "isues"';
    expect(await runGithub(["--toolsets", "isues"])).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(`--toolsets: ${misspelt}`) as string,
    });
    expect(await runGithub([], { GITHUB_TOOLSETS: "isues" })).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(`GITHUB_TOOLSETS: ${misspelt}`) as string,
    });
  });

  it("leaves owner and repo out with a single repository", async () => {
    const tools = await listTools(await openGithub(api.url, ["--repos", "octo/app", "--toolsets", "all"]));
    const asking = tools.filter(({ inputSchema }) => {
      const { owner, repo: name } = inputSchema["properties"] as { owner?: unknown; repo?: unknown };
      return owner !== undefined || name !== undefined;
    });
    expect(asking.map(({ name }) => name)).toEqual([]);
  });

  it.each(["2024-11-05", "2025-11-25"] as const)(
    "loses what a classic token cannot do, once that is known, in %s",
    async (revision) => {
      api.script = {
        "GET /user": { headers: { "x-oauth-scopes": "read:org, notifications" }, body: { login: "octo" } },
      };
      const wire = await openGithub(api.url, ["--toolsets", "all"], { revision });
      expect((await listTools(wire)).map(({ name }) => name)).toContain("issue_write");
      await tryTool(wire, "get_me");
      await wire.hear(({ method }) => method === "notifications/tools/list_changed");
      const names = (await listTools(wire)).map(({ name }) => name);
      expect(names).not.toContain("issue_write");
      expect(names).toContain("list_notifications");
      const { error } = await tryTool(wire, "issue_write", { ...repo, method: "create", title: "A" });
      expect(error?.["message"]).toBe(
        "Unknown tool: issue_write (the token needs one of the scopes repo, public_repo)",
      );
    },
  );

  it("keeps everything where a token's scopes are not known", async () => {
    api.script = { "GET /user": { headers: { "x-oauth-scopes": "" }, body: { login: "octo" } } };
    const wire = await openGithub(api.url);
    const before = await listTools(wire);
    await tryTool(wire, "get_me");
    expect(await listTools(wire)).toEqual(before);
  });

  it("stays where another owner's token may do more, and only the scopes of everybody's are told", async () => {
    const scoped = (scopes: string) => ({ headers: { "x-oauth-scopes": scopes }, body: { number: 1 } });
    api.script = {
      "GET /repos/acme/app/issues/1": scoped("gist"),
      "GET /repos/octo/app/issues/1": scoped("notifications"),
      // As an Enterprise Server without limits says it.
      "GET /rate_limit": { status: 404, body: { message: "Rate limiting is not enabled." } },
    };
    const wire = await openGithub(api.url, [], { env: { GITHUB_OWNER_TOKENS: "acme=ghp_other" } });
    const names = async (): Promise<string[]> => (await listTools(wire)).map(({ name }) => name);
    const before = await names();
    for (const owner of ["acme", "octo"])
      await tryTool(wire, "issue_read", { owner, repo: "app", issue_number: 1 });
    expect(await names()).toEqual(before);
    const { structured } = await tryTool(wire, "get_rate_limit");
    expect(structured["item"]).toMatchObject({ scopes: ["notifications"] });
    const own = { body: { private: false, permissions: { push: true } } };
    api.script = {
      "GET /repos/acme/app": own,
      "GET /repos/octo/app": own,
      "POST /graphql": {
        body: { data: { node: { pullRequest: { repository: { nameWithOwner: "acme/app" } } } } },
      },
    };
    api.asked.length = 0;
    const thread = { owner: "acme", repo: "app", pull_number: 1, method: "resolve_thread", thread_id: "T" };
    await tryTool(wire, "pull_request_review_write", thread);
    const sent = api.asked.map(({ path, headers }) => `${path} ${headers.authorization}`);
    // Whether octo/app, which was read, is private matters to what is written.
    expect([...new Set(sent)].toSorted()).toEqual([
      "/graphql Bearer ghp_other",
      "/repos/acme/app Bearer ghp_other",
      `/repos/octo/app Bearer ${TOKEN}`,
    ]);
  });
});
