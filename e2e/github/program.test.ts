import { generateKeyPairSync } from "node:crypto";

import { describe, expect, it } from "vitest";

import { openGithub, runGithub, TOKEN, tryTool } from "./program.ts";
import { useScriptedApi } from "./use-scripted-api.ts";

const repo = { owner: "octo", repo: "app" };
const api = await useScriptedApi();

describe("the program", () => {
  it("says what it found", async () => {
    api.script = { "GET /rate_limit": { headers: { "x-ratelimit-limit": "5000" }, body: {} } };
    const good = await runGithub(["--doctor", "--api-url", api.url], { GITHUB_TOKEN: TOKEN });
    expect(good).toMatchObject({ code: 0 });
    expect(good.stdout).toMatch(/classic token, 5000 requests an hour/);
    const unlimited = { status: 404, body: { message: "Rate limiting is not enabled." } };
    api.script = { "GET /rate_limit": unlimited };
    const enterprise = await runGithub(["--doctor", "--api-url", api.url], { GITHUB_TOKEN: TOKEN });
    expect(enterprise).toMatchObject({ code: 0 });
    expect(enterprise.stdout).toMatch(/classic token, no limit/);
    api.script = { "GET /rate_limit": { status: 401, body: {} } };
    const bad = await runGithub(["--doctor", "--api-url", api.url], { GITHUB_TOKEN: TOKEN });
    expect(bad).toMatchObject({ code: 69 });
    expect(bad.stdout).toMatch(/The token is not valid/);
  });

  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = String(privateKey.export({ type: "pkcs8", format: "pem" }));
  const toApp = (id: string) => ["--app-id", "7", "--app-installation-id", id];
  const toEnv = (secret: string) => ({ GITHUB_TOKEN: "", GITHUB_APP_PRIVATE_KEY: secret });

  it("gets the token of an App's installation, and uses it until it ends", async () => {
    const token = "ghs_of0the0installation";
    api.script = {
      "POST /app/installations/42/access_tokens": {
        status: 201,
        body: { token, expires_at: new Date(Date.now() + 3_600_000).toISOString(), permissions: {} },
      },
      "GET /repos/octo/app/issues/1": ({ headers }) => ({
        body: { number: 1, title: headers.authorization },
      }),
    };
    const wire = await openGithub(api.url, toApp("42"), { env: toEnv(key) });
    for (let count = 0; count < 2; count += 1) {
      const { text } = await tryTool(wire, "issue_read", { ...repo, issue_number: 1 });
      expect(text).toMatch(/title: \S* ?\[hidden\]/);
    }
    expect(api.lines().filter((line) => line.startsWith("POST"))).toHaveLength(1);
    expect(api.asked.at(-1)?.headers.authorization).toBe(`Bearer ${token}`);
  });

  it.each([
    ["GitHub refuses it", key, /got no token from GitHub \(404\)/, 1],
    ["the key is none", "garbage", /private key of the GitHub App cannot be used/, 0],
  ])("says that an App has no token where %s", async (_, secret, words, requests) => {
    api.script = {
      "POST /app/installations/43/access_tokens": { status: 404, headers: { deprecation: "true" }, body: {} },
      "GET /rate_limit": { body: {} },
    };
    const wire = await openGithub(api.url, toApp("43"), { env: toEnv(secret) });
    for (const [tool, more] of [
      ["issue_read", {}],
      ["add_issue_comment", { body: "Hello" }],
    ] as const) {
      api.asked.length = 0;
      const { error, text } = await tryTool(wire, tool, { ...repo, issue_number: 1, ...more });
      expect(error).toMatchObject({ code: "permission_denied", retryable: false });
      expect(text).toMatch(words);
      expect(text).not.toContain("unknown");
      expect(api.asked).toHaveLength(requests);
    }
    expect(wire.stderr).not.toContain("access_tokens");
    const examined = await runGithub(["--doctor", "--api-url", api.url, ...toApp("43")], toEnv(secret));
    expect(examined).toMatchObject({ code: 69 });
    expect(examined.stdout).toMatch(words);
  });
});
