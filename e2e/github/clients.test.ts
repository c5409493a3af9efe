import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { isSince, MATRIX, type Pairing } from "../clients/matrix.ts";
import { isRunning, type Outsider } from "../clients/outsider.ts";
import { until } from "../support/processes.ts";
import { GITHUB } from "../support/servers.ts";
import { type ScriptedApi, startScriptedApi, type Told } from "./scripted-api.ts";

const repo = { owner: "octo", repo: "app" };
const issue = {
  number: 1,
  title: "A bug",
  state: "open",
  body: "It breaks",
  user: { login: "octo" },
  author_association: "OWNER",
};
const URI = "repo://octo/app/issues/1";

let api: ScriptedApi;
let etag = '"1"';
beforeAll(async () => {
  const tagged = (body: unknown) => (): Told => ({ headers: { etag }, body });
  api = await startScriptedApi({
    "GET /repos/octo/app/issues": { body: [issue] },
    "GET /repos/octo/app/issues/1": tagged(issue),
    "GET /repos/octo/app/issues/1/comments": { headers: { etag: '"c"' }, body: [] },
    "GET /repos/octo/app/labels": { body: [{ name: "bug" }] },
    "GET /user/repos": { body: [{ full_name: "octo/app" }, { full_name: "octo/other" }] },
    "POST /repos/octo/app/issues": {
      status: 201,
      body: { ...issue, html_url: "https://github.com/octo/app/issues/1" },
    },
  });
});
afterAll(() => api.close());

/** A client that somebody else wrote, for as long as the work takes. */
async function withClient({ connect }: Pairing, work: (outsider: Outsider) => Promise<void>): Promise<void> {
  const outsider = await connect([...GITHUB, "--api-url", api.url, "--poll-interval", "200ms"]);
  try {
    await work(outsider);
  } finally {
    await outsider.client.close();
  }
  await until(() => !isRunning(outsider.pid), "The end of the server");
}

describe.each(MATRIX)("used by $label", (pairing) => {
  const { revision } = pairing;

  it("lists, reads, writes, completes, fills prompts in and hears of changes", async () => {
    await withClient(pairing, async ({ client, callTool, listen, notified }) => {
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain("issue_write");
      expect((await client.listPrompts()).prompts).toHaveLength(5);
      expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(8);
      const list = await callTool("list_issues", repo);
      const items = expect.objectContaining({
        items: [expect.objectContaining({ title: "A bug" })],
      }) as unknown;
      expect(list.structuredContent).toEqual(isSince(revision, "2025-06-18") ? items : undefined);
      expect(String(list.content[0]?.["text"])).toMatch(/^1 issue in octo\/app:\n<untrusted-/);
      const made = await callTool("issue_write", { ...repo, method: "create", title: "A bug" });
      expect(String(made.content[0]?.["text"])).toContain("https://github.com/octo/app/issues/1");
      const failed = await callTool("issue_read", { ...repo, issue_number: 404 });
      expect(failed.isError).toBe(true);
      const { contents } = await client.readResource({ uri: URI });
      expect(String(contents[0]?.["text"])).toContain("It breaks");
      const { completion } = await client.complete({
        ref: { type: "ref/resource", uri: "repo://{owner}/{repo}/issues/{number}" },
        argument: { name: "repo", value: "o" },
        context: { arguments: { owner: "octo" } },
      });
      expect(completion.values).toContain("other");
      const { messages } = await client.getPrompt({
        name: "triage_issue",
        arguments: { ...repo, issue_number: "1" },
      });
      expect(JSON.stringify(messages)).toContain("A bug");
      const listening = await listen([URI]);
      const asked = api.asked.length;
      await until(() => api.asked.length > asked + 2, "The first look");
      etag = `${etag}x"`;
      await until(
        () =>
          notified.some(
            ({ method, params }) => method === "notifications/resources/updated" && params?.["uri"] === URI,
          ),
        "The change",
      );
      await listening.close();
    });
  });
});
