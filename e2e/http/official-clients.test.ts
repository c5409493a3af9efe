import { isModern, type Revision, until } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { type Outsider, type OutsiderResult } from "../clients/outsider.ts";
import { visitV1, visitV2 } from "./official-clients.ts";
import { serve } from "./serving.ts";

interface Case {
  readonly label: string;
  readonly revision: Revision;
  readonly visit: (url: string) => Promise<Outsider>;
}

const CASES: readonly Case[] = [
  ...(["2025-03-26", "2025-06-18", "2025-11-25"] as const).map((revision) => ({
    label: `SDK v1, ${revision}`,
    revision,
    visit: (url: string) => visitV1(url, revision),
  })),
  ...(["2025-06-18", "2025-11-25", "2026-07-28"] as const).map((revision) => ({
    label: `SDK v2, ${revision}`,
    revision,
    visit: (url: string) => visitV2(url, revision),
  })),
  { label: "SDK v2 by itself", revision: "2026-07-28", visit: (url) => visitV2(url, "auto") },
];

const textOf = ({ content }: OutsiderResult): unknown => content[0]?.["text"];
const hasForms = (revision: Revision): boolean => revision !== "2025-03-26";

describe.each(CASES)("$label over HTTP", ({ revision, visit }) => {
  it("agrees on the revision, and has a session where there are any", async () => {
    const served = await serve();
    const visitor = await visit(served.url);
    expect(visitor.revision).toBe(revision);
    expect(visitor.sessionId === undefined).toBe(isModern(revision));
    expect(visitor.client.getServerVersion()?.name).toBe("everything");
    expect(visitor.client.getInstructions()).toContain("For tests");
  });

  it("lists, reads, renders, completes and calls", async () => {
    const served = await serve();
    const { client, callTool } = await visit(served.url);
    expect((await client.listTools()).tools.length).toBeGreaterThan(3);
    expect((await client.listResources()).resources[0]?.uri).toBe("demo:///text");
    expect((await client.readResource({ uri: "demo:///text" })).contents).toMatchObject([{ text: "hello" }]);
    await expect(client.readResource({ uri: "demo:///none" })).rejects.toThrow(/not found/i);
    const { prompts } = await client.listPrompts();
    expect(prompts.length).toBeGreaterThan(0);
    expect(textOf(await callTool("slow", { ms: 1 }))).toBe("waited 1 ms");
    expect((await callTool("slow", {})).isError).toBe(true);
    expect((await callTool("fail_for_the_model")).isError).toBe(true);
  });

  it("sees progress and logs", async () => {
    const served = await serve();
    const { client, callTool, notified } = await visit(served.url);
    const steps: number[] = [];
    const result = await callTool(
      "progress",
      { steps: 3 },
      { onProgress: ({ progress }) => void steps.push(progress) },
    );
    expect(textOf(result)).toBe("3 steps");
    expect(steps).toEqual([1, 2, 3]);
    if (isModern(revision)) return;
    await client.setLoggingLevel("warning");
    await callTool("log_every_level");
    const logged = notified.filter(({ method }) => method === "notifications/message");
    expect(logged.map(({ params }) => params?.["level"])).toEqual(
      "warning error critical alert emergency".split(" "),
    );
  });

  it("is asked: sampling, forms and roots", async () => {
    const served = await serve();
    const { callTool } = await visit(served.url);
    expect(textOf(await callTool("sample_text", { prompt: "ping" }))).toBe("outsider: pong");
    expect(textOf(await callTool("list_roots"))).toBe("file:///one");
    const asked = await callTool("ask_twice");
    expect(hasForms(revision) ? textOf(asked) : asked.isError).toBe(hasForms(revision) ? "yes yes" : true);
  });

  it("hears of changes", async () => {
    const served = await serve();
    const { callTool, listen, notified } = await visit(served.url);
    await listen(["demo:///counter"]);
    await callTool("count");
    await callTool("add_tool");
    const methods = ["notifications/resources/updated", "notifications/tools/list_changed"];
    await until(() => methods.every((method) => notified.some((one) => one.method === method)), "the news");
    expect(notified.find(({ method }) => method === methods[0])?.params?.["uri"]).toBe("demo:///counter");
  });

  it("calls several tools at once", async () => {
    const served = await serve();
    const { callTool } = await visit(served.url);
    const results = await Promise.all([30, 20, 10].map((ms) => callTool("slow", { ms })));
    expect(results.map(textOf)).toEqual(["waited 30 ms", "waited 20 ms", "waited 10 ms"]);
  });
});

describe("SDK v1 on a bad line", () => {
  it("gets the answer of a tool that let its connection go", async () => {
    const served = await serve();
    const { callTool } = await visitV1(served.url, "2025-11-25");
    expect(textOf(await callTool("detaching"))).toBe("still here");
  });

  it("resumes with Last-Event-ID when its stream breaks off", async () => {
    const served = await serve();
    const resumed: (string | null)[] = [];
    const cutOnce = breaking((lastEventId) => resumed.push(lastEventId));
    const { callTool } = await visitV1(served.url, "2025-11-25", cutOnce);
    const steps: number[] = [];
    const result = await callTool(
      "progress",
      { steps: 6, pauseMs: 50 },
      { onProgress: ({ progress }) => void steps.push(progress) },
    );
    expect(textOf(result)).toBe("6 steps");
    expect(steps).toEqual([1, 2, 3, 4, 5, 6]);
    expect(resumed.filter((id) => id !== null)).toHaveLength(1);
  });
});

/** A line that breaks off the first stream of a tool after its first progress, and shows what is asked for afterwards. */
function breaking(resumed: (lastEventId: string | null) => void): typeof globalThis.fetch {
  let isBroken = false;
  return async (target, init) => {
    const headers = new Headers(init?.headers);
    if (init?.method === "GET") resumed(headers.get("last-event-id"));
    const response = await fetch(target, init);
    const isStream = response.headers.get("content-type") === "text/event-stream";
    if (isBroken || init?.method !== "POST" || !isStream || !response.body) return response;
    isBroken = true;
    let seen = "";
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { value, done } = await reader.read();
        if (value) controller.enqueue(value);
        seen += new TextDecoder().decode(value);
        if (!done && !seen.includes("notifications/progress")) return;
        await reader.cancel();
        controller.close();
      },
    });
    return new Response(body, response);
  };
}
