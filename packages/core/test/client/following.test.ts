import { describe, expect, it } from "vitest";

import type { Context, Server } from "../../src/index.ts";
import { connectInMemory } from "../../src/testing.ts";
import { serverWith as toServer } from "../connection/tasks-line.ts";

const serverWith = (run: (context: Context) => unknown): Server => toServer(run, { pollIntervalMs: 50 });

describe("a call that becomes a task", () => {
  it("gives its result in the end, and answers what it asks, once", async () => {
    const asked: string[] = [];
    const states: unknown[] = [];
    const server = serverWith(async ({ detach, elicit }) => {
      detach();
      const answer = await elicit({
        message: "Go on?",
        schema: { type: "object", properties: { word: { type: "string" } } },
      });
      return JSON.stringify(answer);
    });
    const client = await connectInMemory(server, {
      tasks: true,
      elicit: ({ message }) => {
        asked.push(message);
        return { action: "accept", content: { word: "yes" } };
      },
    });
    const result = await client.callTool("work", {}, { onTask: ({ status }) => states.push(status) });
    expect(JSON.stringify(result.content)).toContain("yes");
    expect(result).not.toHaveProperty("taskId");
    expect(asked).toEqual(["Go on?"]);
    expect(states).toContain("input_required");
    await client.close();
  });

  it("is cancelled with the call, and when it takes too long", async () => {
    let stopped = 0;
    const server = serverWith(({ detach, signal }) => {
      detach();
      return new Promise<string>((resolve) => {
        signal.addEventListener("abort", () => {
          stopped += 1;
          resolve("stopped");
        });
      });
    });
    const client = await connectInMemory(server, { tasks: true });
    const controller = new AbortController();
    const reason = new Error("enough");
    const call = client.callTool(
      "work",
      {},
      { signal: controller.signal, onTask: () => controller.abort(reason) },
    );
    await expect(call).rejects.toBe(reason);
    await expect.poll(() => stopped).toBe(1);
    // Long enough to have become a task, also on a busy machine.
    await expect(client.callTool("work", {}, { longestMs: 1500 })).rejects.toThrow(
      /did not end within 1500 ms/,
    );
    await expect.poll(() => stopped).toBe(2);
    await client.close();
  });

  it("never is one for a client that does not say it follows them", async () => {
    const client = await connectInMemory(serverWith(({ detach }) => (detach(), "done")));
    let told = 0;
    await client.callTool("work", {}, { onTask: () => (told += 1) });
    expect(told).toBe(0);
    await client.close();
  });
});
