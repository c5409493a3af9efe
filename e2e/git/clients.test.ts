import { basename } from "node:path";

import { describe, expect, it } from "vitest";

import { isSince, MATRIX, type Pairing } from "../clients/matrix.ts";
import { isRunning, type Outsider } from "../clients/outsider.ts";
import { until } from "../support/processes.ts";
import { createHistory } from "./history.ts";
import { type Plain } from "./program.ts";
import { GIT } from "../support/servers.ts";

/** A client that somebody else wrote, on a history of its own. */
async function withClient(
  { connect }: Pairing,
  work: (outsider: Outsider, plain: Plain) => Promise<void>,
): Promise<void> {
  const plain = createHistory();
  plain.git("config", "user.name", "Client");
  plain.git("config", "user.email", "client@example.org");
  const outsider = await connect([...GIT, "--all-tools", plain.root]);
  try {
    await work(outsider, plain);
  } finally {
    await outsider.client.close();
  }
  await until(() => !isRunning(outsider.pid), "The end of the server");
}

describe.each(MATRIX)("used by $label", (pairing) => {
  it("reads, writes and undoes", async () => {
    await withClient(pairing, async ({ client, callTool }, plain) => {
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain("git_status");
      plain.write("a.txt", "by a client\n");
      const status = await callTool("git_status", {});
      expect(String(status.content[0]?.["text"])).toContain("unstaged modified: a.txt");
      const structured = expect.objectContaining({ branch: "main" }) as unknown;
      expect(status.structuredContent).toEqual(
        isSince(pairing.revision, "2025-06-18") ? structured : undefined,
      );
      const made = await callTool("git_commit", { message: "theirs", files: ["a.txt"] });
      expect(made.isError).toBeFalsy();
      expect(plain.git("log", "-1", "--format=%s")).toBe("theirs");
      await callTool("git_undo", { id: "last" });
      expect(plain.git("log", "-1", "--format=%s")).toBe("odd files");
      const failed = await callTool("git_log", { range: "featur" });
      expect(failed.isError).toBe(true);
      expect(String(failed.content[0]?.["text"])).toContain('Did you mean "feature"?');
    });
  });

  it("reads resources, completes, and fills prompts in", async () => {
    await withClient(pairing, async ({ client }, plain) => {
      const { contents } = await client.readResource({ uri: `git://${basename(plain.root)}/HEAD` });
      expect(JSON.parse(String(contents[0]?.["text"]))).toMatchObject({
        head: plain.git("rev-parse", "HEAD"),
      });
      const { completion } = await client.complete({
        ref: { type: "ref/prompt", name: "review_branch" },
        argument: { name: "branch", value: "feat" },
      });
      expect(completion.values).toEqual(["feature"]);
      const { messages } = await client.getPrompt({
        name: "review_branch",
        arguments: { branch: "feature" },
      });
      expect(JSON.stringify(messages)).toContain("add two");
    });
  });
});
