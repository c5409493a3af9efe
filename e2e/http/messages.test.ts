import { callHttp, isModern, isOf, isRequest, isResponse, JSON_HEADERS, textOf } from "@suite/check/wires";
import { expect } from "vitest";

import { verify } from "./verify.ts";

const PROGRESS = "notifications/progress";
const progressing = { meta: { progressToken: "p" } };

verify(["http/single-endpoint-post-get"], "serves POST and GET at one path", async ({ open }) => {
  const wire = await open();
  expect((await wire.request("ping")).result).toEqual({});
  const stream = await wire.get();
  expect([stream.status, stream.headers["content-type"]]).toEqual([200, "text/event-stream"]);
});

verify(["http/single-endpoint-post"], "serves POST at one path", async ({ open }) => {
  const wire = await open();
  const { result } = await wire.request("server/discover");
  expect(result?.["supportedVersions"]).toContain("2026-07-28");
});

verify(
  ["http/notification-accepted-202"],
  "answers a notification, and where there are any a response, with 202 and nothing else",
  async ({ open, revision }) => {
    const wire = await open();
    const messages = [
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "nothing" } },
      ...(isModern(revision) ? [] : [{ jsonrpc: "2.0", id: "unasked", result: {} }]),
    ];
    for (const message of messages) {
      const answer = await wire.say(message);
      expect(await answer.ended).toBe(true);
      expect([answer.status, answer.text]).toEqual([202, ""]);
    }
  },
);

verify(
  ["http/notification-refused-error-status"],
  "answers what is neither a request nor acceptable with an error status",
  async ({ open }) => {
    const wire = await open();
    const refused = [
      "no message",
      { jsonrpc: "1.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", method: 5 },
      { jsonrpc: "2.0", id: 1 },
      { jsonrpc: "2.0", method: "notifications/initialized", params: [] },
      { jsonrpc: "2.0", id: null, result: {} },
      [],
    ];
    for (const message of refused) {
      const answer = await wire.say(message);
      expect(answer.status, JSON.stringify(message)).toBe(400);
      expect(await answer.answer()).toMatchObject({ error: { code: expect.any(Number) as number } });
      expect(await answer.answer()).not.toHaveProperty("id");
    }
    const unknown = await wire.say({ jsonrpc: "2.0", method: "x" }, { "mcp-protocol-version": "1999-01-01" });
    expect(unknown.status).toBe(400);
  },
);

verify(
  ["http/request-content-type"],
  "answers a request with JSON, or with a stream once something comes before the answer",
  async ({ open }) => {
    const wire = await open();
    const plain = await wire.sendTool("slow", { ms: 50 });
    expect([plain.status, plain.headers["content-type"]]).toEqual([200, "application/json"]);
    expect(textOf(await plain.answer())).toBe("waited 50 ms");
    expect(plain.messages).toHaveLength(1);
    const talkative = await wire.sendTool("progress", { steps: 3 }, progressing);
    expect([talkative.status, talkative.headers["content-type"]]).toEqual([200, "text/event-stream"]);
    expect(textOf(await talkative.answer())).toBe("3 steps");
  },
);

verify(["http/batch-accepted"], "serves a batch as such", async ({ open }) => {
  const wire = await open();
  const ping = (id: string): object => ({ jsonrpc: "2.0", id, method: "ping" });
  const note = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "x" } };
  const answer = await wire.say([ping("a"), note, ping("b"), { jsonrpc: "2.0", id: "c", method: "nothing" }]);
  expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/json"]);
  await answer.ended;
  expect(Array.isArray(JSON.parse(answer.text))).toBe(true);
  expect(new Set(answer.messages.map(({ id }) => id))).toEqual(new Set(["a", "b", "c"]));
  const silent = await wire.say([note, note]);
  expect(await silent.ended).toBe(true);
  expect([silent.status, silent.text]).toEqual([202, ""]);
  const params = { name: "progress", arguments: { steps: 2 }, _meta: { progressToken: "p" } };
  const talkative = await wire.say([ping("d"), { jsonrpc: "2.0", id: "e", method: "tools/call", params }]);
  expect(talkative.headers["content-type"]).toBe("text/event-stream");
  await talkative.ended;
  expect(talkative.messages.filter(isOf(PROGRESS)).length).toBeGreaterThan(0);
  const answered = talkative.messages.filter(isResponse).map(({ id }) => id);
  expect(new Set(answered)).toEqual(new Set(["d", "e"]));
});

verify(
  ["http/stream-carries-response"],
  "brings the response on the stream of its request",
  async ({ open }) => {
    const wire = await open();
    const stream = await wire.sendTool("progress", { steps: 2 }, { ...progressing, id: "mine" });
    await stream.ended;
    expect(stream.messages.filter(isResponse).map(({ id }) => id)).toEqual(["mine"]);
  },
);

verify(
  ["http/stream-ends-after-response"],
  "ends the stream of a request with its response",
  async ({ open }) => {
    const wire = await open();
    const stream = await wire.sendTool("progress", { steps: 2 }, { ...progressing, id: "mine" });
    expect(await stream.ended).toBe(true);
    expect(stream.messages.at(-1)).toMatchObject({ id: "mine", result: {} });
  },
);

verify(
  ["http/stream-not-closed-early"],
  "keeps the stream open until the response, even for a tool that would let it go",
  async ({ open }) => {
    const wire = await open();
    expect(textOf(await wire.callTool("detaching"))).toBe("still here");
  },
);

verify(
  ["http/stream-messages-related"],
  "says on the stream of a request only what belongs to it",
  async ({ open }) => {
    const wire = await open();
    const standalone = await wire.get();
    const token = { meta: { progressToken: "one" } };
    const stream = await wire.sendTool("progress", { steps: 6, pauseMs: 60 }, token);
    await stream.hear(isOf(PROGRESS));
    const other = await wire.sendTool("progress", { steps: 2 }, { meta: { progressToken: "two" } });
    await wire.callTool("add_tool");
    await wire.callTool("remove_tool");
    await Promise.all([stream.ended, other.ended]);
    await standalone.hear(isOf("notifications/tools/list_changed"));
    for (const [{ messages }, name] of [[stream, "one"] as const, [other, "two"] as const]) {
      const told = messages.filter((message) => !isResponse(message));
      expect(told.length).toBeGreaterThan(0);
      expect(told.filter(({ params }) => params?.["progressToken"] !== name)).toEqual([]);
    }
  },
);

verify(
  ["http/stream-notifications-related", "http/stream-without-requests", "http/stream-unbuffered"],
  "says on the stream of a request only what belongs to it, and asks nothing there",
  async ({ open }) => {
    const wire = await open({ elicitation: { form: {} } });
    const listening = await wire.send("subscriptions/listen", { notifications: { toolsListChanged: true } });
    const stream = await wire.sendTool("progress", { steps: 5, pauseMs: 60 }, progressing);
    await stream.hear(isOf(PROGRESS));
    await wire.callTool("add_tool");
    await wire.callTool("remove_tool");
    const asking = await wire.sendTool("ask_twice", {}, progressing);
    expect((await asking.answer()).result?.["resultType"]).toBe("input_required");
    await stream.ended;
    await listening.hear(isOf("notifications/tools/list_changed"));
    const told = stream.messages.filter((message) => !isResponse(message));
    expect(told.length).toBeGreaterThan(0);
    expect(told.filter(({ params }) => params?.["progressToken"] !== "p")).toEqual([]);
    for (const { messages } of [listening, stream, asking]) expect(messages.filter(isRequest)).toEqual([]);
    expect(listening.messages.filter(isOf(PROGRESS))).toEqual([]);
    for (const { headers } of [listening, stream]) {
      expect(headers["x-accel-buffering"]).toBe("no");
      expect(headers["cache-control"]).toContain("no-cache");
    }
  },
);

verify(
  ["http/request-content-type"],
  "refuses bodies and wishes that are not of this protocol",
  async ({ open, served }) => {
    const wire = await open();
    const { url } = served;
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    const own = wire.sessionId === undefined ? {} : { "mcp-session-id": wire.sessionId };
    const status = async (headers: Record<string, string>, sent: string | Buffer = body): Promise<number> =>
      (await callHttp(url, { method: "POST", headers: { ...own, ...headers }, body: sent })).status;
    const { accept } = JSON_HEADERS;
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "application/jsonx",
    ])
      expect(await status({ accept, "content-type": type }), type).toBe(415);
    expect(await status({ accept })).toBe(415);
    for (const wish of ["application/json", "text/event-stream", "text/html", ""])
      expect(await status({ ...JSON_HEADERS, accept: wish }), wish).toBe(406);
    for (const wish of ["*/*", "application/*, text/*", "TEXT/EVENT-STREAM;q=0.5 , application/json"])
      expect(
        await status({ "content-type": "Application/JSON; charset=utf-8", accept: wish }),
        wish,
      ).not.toBe(406);
    for (const broken of ["", "{", '{"jsonrpc":"2.0"', "\u0000", "{}{}", Buffer.from([0x22, 0xff, 0x22])])
      expect(await status(JSON_HEADERS, broken), String(broken)).toBe(400);
  },
);
