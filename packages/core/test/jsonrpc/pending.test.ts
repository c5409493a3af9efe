import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ProtocolError } from "../../src/jsonrpc/error.ts";
import type { JSONRPCMessage, Params } from "../../src/jsonrpc/message.ts";
import { PendingRequests, TimeoutError, type PendingOptions } from "../../src/jsonrpc/pending.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** The requests of one side, and everything it said. */
function open(): {
  pending: PendingRequests;
  said: JSONRPCMessage[];
  ask: (options?: Partial<PendingOptions>, method?: string) => Promise<Params>;
} {
  const pending = new PendingRequests();
  const said: JSONRPCMessage[] = [];
  const sender = { send: (message: JSONRPCMessage) => void said.push(message) };
  const ask = (options: Partial<PendingOptions> = {}, method = "ping"): Promise<Params> => {
    const answer = pending.send(sender, method, (id) => ({ mine: id }), { timeoutMs: 1000, ...options });
    answer.catch(() => undefined);
    return answer;
  };
  return { pending, said, ask };
}

const cancelled = (requestId: number, reason: string): object => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId, reason },
});

describe("an answer", () => {
  it("settles its own request, in whatever order answers come", async () => {
    const { pending, said, ask } = open();
    const [first, second] = [ask(), ask()];
    pending.receiveResponse({ jsonrpc: "2.0", id: 2, result: { n: 2 } });
    pending.receiveResponse({ jsonrpc: "2.0", id: 1, result: { n: 1 } });
    expect(await Promise.all([first, second])).toEqual([{ n: 1 }, { n: 2 }]);
    expect(said).toEqual([1, 2].map((id) => ({ jsonrpc: "2.0", id, method: "ping", params: { mine: id } })));
  });

  it("that is an error rejects with all of it", async () => {
    const { pending, ask } = open();
    const answer = ask();
    pending.receiveResponse({ jsonrpc: "2.0", id: 1, error: { code: -32001, message: "No", data: [1] } });
    const thrown = await answer.catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ProtocolError);
    expect(thrown).toMatchObject({ code: -32001, message: "No", data: [1] });
  });

  it("to nothing that was asked is dropped", async () => {
    const { pending, ask } = open();
    const answer = ask();
    for (const id of [2, "1", -1]) pending.receiveResponse({ jsonrpc: "2.0", id, result: {} });
    pending.receiveResponse({ jsonrpc: "2.0", error: { code: -32700, message: "no id" } });
    pending.receiveResponse({ jsonrpc: "2.0", id: 1, result: { right: true } });
    pending.receiveResponse({ jsonrpc: "2.0", id: 1, result: { right: false } });
    expect(await answer).toEqual({ right: true });
  });

  it("leaves no timer behind", async () => {
    const { pending, ask } = open();
    const answer = ask({ longestMs: 5000, signal: new AbortController().signal });
    pending.receiveResponse({ jsonrpc: "2.0", id: 1, result: {} });
    await answer;
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a time-out", () => {
  it("rejects, tells the peer, and drops the late answer", async () => {
    const { pending, said, ask } = open();
    const answer = ask({ timeoutMs: 50 }, "tools/call");
    vi.advanceTimersByTime(49);
    expect(said).toHaveLength(1);
    vi.advanceTimersByTime(1);
    await expect(answer).rejects.toThrow(new TimeoutError("tools/call was not answered within 50 ms"));
    expect(said.slice(1)).toEqual([cancelled(1, "timed out")]);
    pending.receiveResponse({ jsonrpc: "2.0", id: 1, result: {} });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("starts again with progress, which is passed on", async () => {
    const { pending, said, ask } = open();
    const heard: Params[] = [];
    const answer = ask({ timeoutMs: 50, onProgress: (params) => heard.push(params) });
    for (let progress = 1; progress <= 5; progress += 1) {
      vi.advanceTimersByTime(40);
      pending.progress({ progressToken: 1, progress });
    }
    pending.progress({ progressToken: 2, progress: 1 });
    pending.progress({ progressToken: { toString: "1" }, progress: 1 });
    expect(heard.map(({ progress }) => progress)).toEqual([1, 2, 3, 4, 5]);
    expect(said).toHaveLength(1);
    vi.advanceTimersByTime(50);
    await expect(answer).rejects.toBeInstanceOf(TimeoutError);
  });

  it("comes at longestMs, progress or not", async () => {
    const { pending, said, ask } = open();
    const answer = ask({ timeoutMs: 50, longestMs: 100 });
    for (let waited = 0; waited < 100; waited += 25) {
      pending.progress({ progressToken: 1, progress: waited });
      vi.advanceTimersByTime(25);
    }
    await expect(answer).rejects.toThrow("ping was not answered within 100 ms");
    expect(said.slice(1)).toEqual([cancelled(1, "timed out")]);
  });

  it.each([Infinity, 2 ** 31])("may be %d, which no timer can hold", async (timeoutMs) => {
    const { pending, ask } = open();
    const answer = ask({ timeoutMs, longestMs: timeoutMs });
    expect(vi.getTimerCount()).toBe(0);
    pending.progress({ progressToken: 1, progress: 1 });
    vi.advanceTimersByTime(1e9);
    pending.receiveResponse({ jsonrpc: "2.0", id: 1, result: { late: true } });
    expect(await answer).toEqual({ late: true });
  });
});

describe("aborting", () => {
  it("tells the peer once, rejects with the reason, and drops the answer", async () => {
    const { pending, said, ask } = open();
    const controller = new AbortController();
    const answer = ask({ signal: controller.signal });
    controller.abort(new Error("changed my mind"));
    pending.receiveResponse({ jsonrpc: "2.0", id: 1, result: {} });
    await expect(answer).rejects.toThrow("changed my mind");
    expect(said.slice(1)).toEqual([cancelled(1, "no longer needed")]);
  });

  it("after the answer does nothing", async () => {
    const { pending, said, ask } = open();
    const controller = new AbortController();
    const answer = ask({ signal: controller.signal });
    pending.receiveResponse({ jsonrpc: "2.0", id: 1, result: { done: true } });
    controller.abort();
    expect(await answer).toEqual({ done: true });
    expect(said).toHaveLength(1);
  });

  it("beforehand sends nothing at all", () => {
    const { said, ask } = open();
    expect(() => ask({ signal: AbortSignal.abort(new Error("too late")) })).toThrow("too late");
    expect(said).toEqual([]);
  });
});

describe("close", () => {
  it("rejects everything that waits, without a word to the peer", async () => {
    const { pending, said, ask } = open();
    const answers = [ask(), ask({ longestMs: 10 }), ask({ timeoutMs: Infinity })];
    pending.close(new Error("gone"));
    for (const answer of answers) await expect(answer).rejects.toThrow("gone");
    expect(said).toHaveLength(3);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a message that cannot be sent", () => {
  it("rejects at once and leaves nothing waiting", async () => {
    const pending = new PendingRequests();
    const said: string[] = [];
    const sender = { send: (message: JSONRPCMessage) => void said.push(JSON.stringify(message)) };
    const answer = pending.send(sender, "tools/call", () => ({ big: 1n }), { timeoutMs: 50 });
    await expect(answer).rejects.toThrow(TypeError);
    vi.advanceTimersByTime(1000);
    expect(said).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
