import { readFileSync } from "node:fs";
import { join } from "node:path";

import { callTool } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { openGithub, runGithub, TOKEN, tryTool } from "../github/program.ts";
import { ROWS } from "../github/request-rows.ts";
import type { ReceivedRequest } from "../github/scripted-api.ts";
import { useScriptedApi } from "../github/use-scripted-api.ts";
import { createPlace } from "../support/place.ts";
import { STAGE } from "./stage.ts";

const OTHER = "ghp_another0token0for0one0owner000000000";
const repo = { owner: "octo", repo: "app" };
const LOGS = "GET /repos/octo/app/actions/jobs/8/logs";

const api = await useScriptedApi(STAGE);
const elsewhere = await useScriptedApi();

/** Quotes the token wherever GitHub could. */
const echo = ({ headers }: ReceivedRequest) => ({
  body: {
    message: `seen ${headers.authorization}`,
    title: `T ${headers.authorization}`,
    body: headers.authorization,
    number: 1,
    login: headers.authorization,
  },
});

describe("the token", () => {
  it("is in nothing that the server says, whatever GitHub quotes", async () => {
    api.script = {
      "GET /user": echo,
      "GET /repos/octo/app/issues/1": echo,
      "GET /repos/octo/app/issues/2": (asked) => ({ ...echo(asked), status: 422 }),
      "GET /repos/octo/app/issues/3": (asked) => ({ ...echo(asked), status: 500 }),
      [LOGS]: ({ headers }) => ({ body: `log ${headers.authorization}\n` }),
    };
    const file = join(createPlace(), "audit.jsonl");
    const wire = await openGithub(
      api.url,
      ["--audit-log", file, "--log-level", "debug", "--toolsets", "all"],
      {
        env: { GITHUB_OWNER_TOKENS: `acme=${OTHER}` },
      },
    );
    await tryTool(wire, "get_me");
    for (const issue_number of [1, 2, 3]) await tryTool(wire, "issue_read", { ...repo, issue_number });
    await tryTool(wire, "get_job_logs", { ...repo, job_id: 8 });
    await tryTool(wire, "issue_read", { owner: "acme", repo: "app", issue_number: 1 });
    for (const { tool, args } of ROWS.slice(0, 20)) await callTool(wire, tool, args);
    await wire.request("resources/read", { uri: "suite://environment" });
    await wire.request("resources/read", { uri: "repo://octo/app/issues/1" });
    await wire.end();
    expect(api.asked.some(({ headers }) => headers.authorization === `Bearer ${TOKEN}`)).toBe(true);
    expect(wire.rawLines.join("\n")).toContain("[hidden]");
    for (const said of [wire.rawLines.join("\n"), wire.stderr, readFileSync(file, "utf8")]) {
      expect(said).not.toContain(TOKEN);
      expect(said).not.toContain(OTHER);
    }
  });

  it("is not printed by the program", async () => {
    api.script = { "GET /user": echo, "GET /rate_limit": (asked) => ({ ...echo(asked), status: 403 }) };
    const env = { GITHUB_TOKEN: TOKEN, GITHUB_OWNER_TOKENS: `acme=${OTHER}` };
    for (const args of [["--doctor"], ["--doctor", "--json"], ["--print-config"], ["--repos", "no"]]) {
      const { stdout, stderr } = await runGithub([...args, "--api-url", api.url], env);
      expect(`${stdout}${stderr}`).not.toBe("");
      expect(`${stdout}${stderr}`).not.toMatch(new RegExp(`${TOKEN}|${OTHER}`));
    }
  });

  it("is the owner's own where there is one", async () => {
    api.script = {
      "GET /user": ({ headers }) => ({
        body: { login: headers.authorization === `Bearer ${OTHER}` ? "acme-bot" : "acme" },
      }),
      "POST /repos/acme/app/forks": { status: 202, body: { full_name: "acme-bot/app" } },
      "POST /user/repos": { status: 201, body: { full_name: "acme/new" } },
      "GET /repos/acme/app/issues/1": { body: { number: 1 } },
      "GET /repos/octo/app/issues/1": { body: { number: 1 } },
    };
    const wire = await openGithub(api.url, [], { env: { GITHUB_OWNER_TOKENS: `Acme=${OTHER}` } });
    const fork = await tryTool(wire, "fork_repository", { owner: "acme", repo: "app" });
    expect(fork.structured["changed"]).toEqual(["A fork of acme/app in acme-bot"]);
    await tryTool(wire, "create_repository", { name: "new" });
    await tryTool(wire, "issue_read", { owner: "acme", repo: "app", issue_number: 1 });
    await tryTool(wire, "issue_read", { ...repo, issue_number: 1 });
    expect(api.asked.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ["/user", `Bearer ${OTHER}`],
      ["/repos/acme/app/forks", `Bearer ${OTHER}`],
      // What is made for the owner of a token is made with that token, whoever that is.
      ["/user", `Bearer ${TOKEN}`],
      ["/user/repos", `Bearer ${TOKEN}`],
      ["/repos/acme/app/issues/1", `Bearer ${OTHER}`],
      ["/repos/octo/app/issues/1", `Bearer ${TOKEN}`],
    ]);
  });

  it("stays with its host: other places are asked without it, or not at all", async () => {
    const wire = await openGithub(`${api.url}/api/v3`, ["--toolsets", "all"]);
    // A store on the same host, beside the API.
    api.script = {
      "GET /api/v3/repos/octo/app/actions/jobs/8/logs": {
        status: 302,
        headers: { location: `${api.url}/storage/log` },
      },
      "GET /storage/log": { body: "from the store\n" },
    };
    expect((await tryTool(wire, "get_job_logs", { ...repo, job_id: 8 })).text).toContain("from the store");
    expect(api.asked.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${TOKEN}`, undefined]);
    // Another port of this machine, which nobody named.
    api.script = {
      "GET /api/v3/repos/octo/app/actions/jobs/8/logs": {
        status: 302,
        headers: { location: `${elsewhere.url}/log` },
      },
    };
    expect((await tryTool(wire, "get_job_logs", { ...repo, job_id: 8 })).error).toMatchObject({
      code: "permission_denied",
    });
    expect(elsewhere.asked).toEqual([]);
  });

  it("does not go over plain http, or into a URL", async () => {
    for (const url of [
      "http://git.example.com/api/v3",
      "https://user:pass@git.example.com",
      "ftp://x",
      "https://x?y",
    ]) {
      const { code, stderr } = await runGithub(["--api-url", url], { GITHUB_TOKEN: TOKEN });
      expect(code, url).toBe(64);
      expect(stderr).toMatch(/--api-url: expected an https host/);
      expect(stderr).not.toContain("user:pass");
    }
  });
});
