import { listTools } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { openGithub, runGithub, TOKEN, tryTool } from "./program.ts";
import { useScriptedApi } from "./use-scripted-api.ts";

const api = await useScriptedApi({
  "GET /user": ({ headers }) => ({
    body: { login: headers.authorization === `Bearer ${TOKEN}` ? "octo" : "?" },
  }),
  "GET /rate_limit": { body: { resources: {} } },
});

/** With these variables: the tools that are offered, whether lockdown is on, and what the operator is told. */
async function start(env: NodeJS.ProcessEnv) {
  const wire = await openGithub(api.url, [], { env });
  const names = (await listTools(wire)).map(({ name }) => name);
  const { structured } = await tryTool(wire, "get_rate_limit");
  return { names, item: structured["item"], stderr: wire.stderr };
}

describe("the variables of GitHub's own server", () => {
  it("limit this one, too", async () => {
    const { names, item } = await start({
      GITHUB_READ_ONLY: "1",
      GITHUB_LOCKDOWN_MODE: "true",
      GITHUB_EXCLUDE_TOOLS: "search_code,issue_read",
      GITHUB_TOOLSETS: "context,repos,issues",
    });
    expect(item).toMatchObject({ lockdown: true });
    expect(names).toContain("list_issues");
    for (const name of ["issue_write", "push_files", "search_code", "issue_read", "list_pull_requests"])
      expect(names).not.toContain(name);
    const single = await start({ GITHUB_TOOLS: "get_rate_limit,get_job_logs" });
    expect(single.names).toEqual(["get_rate_limit", "get_job_logs"]);
  });

  it("are named where they have no effect, and where a toolset is not there", async () => {
    const { names, stderr } = await start({
      GITHUB_INSIDERS: "true",
      GITHUB_DYNAMIC_TOOLSETS: "1",
      GITHUB_LOG_FILE: "",
      GITHUB_PORT: "0",
      GITHUB_TOOLSETS: "default,gists,users,dependabot",
    });
    expect(stderr).toMatch(/without effect here: GITHUB_DYNAMIC_TOOLSETS, GITHUB_INSIDERS\./);
    // Toolsets of the other server that have another name here.
    for (const name of ["search_users", "alerts_read"]) expect(names).toContain(name);
    expect(stderr).toMatch(/that this one lacks: gists\./);
  });

  it.each([
    [{ GITHUB_READ_ONLY: "yes" }, /GITHUB_READ_ONLY: expected true or false/],
    [
      { GITHUB_READ_ONLY: "1", SUITE_READ_ONLY: "false" },
      /GITHUB_READ_ONLY and SUITE_READ_ONLY say different things/,
    ],
    [{ GITHUB_EXCLUDE_TOOLS: "push_files", SUITE_EXCLUDE_TOOLS: "get_me" }, /EXCLUDE_TOOLS say different/],
    [{ GITHUB_EXCLUDE_TOOLS: "create_gist" }, /no tool or group "create_gist"/],
    [{ GITHUB_TOOLS: "get_gist" }, /no tool or group "get_gist"/],
    [{ GITHUB_TOOLSETS: "gists" }, /GITHUB_TOOLSETS: expected some of/],
    [
      { GITHUB_TOOLS: "get_job_logs", GITHUB_TOOLSETS: "repos,orgs" },
      /both set[^]*GITHUB_TOOLS=repos,users,get_job_logs\./,
    ],
    [{ GITHUB_OAUTH_SCOPES: "read:org" }, /GITHUB_TOKEN to a token that has only these scopes/],
    [{ GITHUB_ENABLE_COMMAND_LOGGING: "true" }, /--audit-log FILE/],
    [{ GITHUB_REPO_ACCESS_CACHE_TTL: "0s" }, /Unset it/],
    [{ GITHUB_APP_PRIVATE_KEY_PATH: "/key.pem" }, /GITHUB_APP_PRIVATE_KEY_FILE/],
    [{ GITHUB_TOKEN: "ghp_a\nghp_b" }, /GITHUB_TOKEN is not a token: .* line breaks/],
  ])("do not let it start where it could not do as they say: %j", async (env, words) => {
    expect(await runGithub([], env)).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(words) as string,
    });
  });
});

it("a line break after the token does no harm, and does not show it", async () => {
  const wire = await openGithub(api.url, [], { env: { GITHUB_TOKEN: `${TOKEN}\n` } });
  expect((await tryTool(wire, "get_me")).structured).toMatchObject({ item: { login: "octo" } });
});
