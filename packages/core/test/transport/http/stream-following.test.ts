import { describe, expect, it } from "vitest";
import { followStream, type FollowOptions } from "../../../src/transport/http/stream-following.ts";
import { skipWaits } from "../../transcript.ts";

const stream = (...pieces: readonly string[]): Response => {
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
};

/** Follows a stream whose later connections are these; a failed one is undefined. */
async function follow(
  first: Response,
  later: readonly (Response | undefined)[],
  given: Partial<FollowOptions> = {},
): Promise<{ isOver: boolean; taken: string[]; asked: (string | undefined)[] }> {
  const taken: string[] = [];
  const asked: (string | undefined)[] = [];
  const isOver = await followStream(first, {
    signal: new AbortController().signal,
    resumes: "by-id",
    take: (data) => taken.push(data) > 0 && data === "end",
    async reconnect(lastEventId) {
      const response = later[asked.length];
      asked.push(lastEventId);
      if (!response) throw new TypeError("fetch failed");
      return response;
    },
    ...given,
  });
  return { isOver, taken, asked };
}

const PRIMED = "retry: 50\nid: 1.0\ndata:\n\n";

describe("followStream", () => {
  it("ends with the event that matters, without asking for more", async () => {
    expect(await follow(stream("id: 1\ndata: a\n\n", "data: end\n\n"), [])).toEqual({
      isOver: true,
      taken: ["a", "end"],
      asked: [],
    });
  });

  it("comes back with the last id until it has what it waits for", async () => {
    const later = [stream("id: 1.1\ndata: a\n\n"), stream(": nothing yet\n\n"), stream("data: end\n\n")];
    expect(await follow(stream(PRIMED), later)).toEqual({
      isOver: true,
      taken: ["a", "end"],
      asked: ["1.0", "1.1", "1.1"],
    });
  });

  it("waits as long as it is told, and not for less than it must", async () => {
    const started = performance.now();
    await follow(stream("retry: 300\nid: 1\ndata:\n\n"), [stream("data: end\n\n")]);
    expect(performance.now() - started).toBeGreaterThanOrEqual(290);
    const again = performance.now();
    await follow(stream("retry: 0\nid: 1\ndata:\n\n"), [stream("data: end\n\n")]);
    expect(performance.now() - again).toBeGreaterThanOrEqual(45);
  });

  it("does not take a time that no timer can hold for none", async () => {
    const signal = AbortSignal.timeout(300);
    const following = follow(stream("retry: 99999999999999\nid: 1\ndata:\n\n"), [], { signal });
    await expect(following).rejects.toThrow("aborted due to timeout");
  });

  it("does not come back without an id, or where nothing can be resumed", async () => {
    const broken = { isOver: false, taken: ["a"], asked: [] };
    expect(await follow(stream("data: a\n\n"), [])).toEqual(broken);
    expect(await follow(stream("id: 1\nid:\ndata: a\n\n"), [])).toEqual(broken);
    expect(await follow(stream("id: 1\ndata: a\n\n"), [], { resumes: "never" })).toEqual(broken);
  });

  it("gives up when the server refuses, and after too many failures in a row", async () => {
    skipWaits();
    for (const status of [404, 501]) {
      const refused = new Response("no", { status });
      expect(await follow(stream(PRIMED), [refused])).toEqual({ isOver: false, taken: [], asked: ["1.0"] });
    }
    const { isOver, asked } = await follow(stream(PRIMED), [
      undefined,
      undefined,
      stream("id: 1.1\ndata:\n\n"),
    ]);
    expect(isOver).toBe(false);
    expect(asked.length).toBeGreaterThan(5);
    expect(asked.slice(0, 4)).toEqual(["1.0", "1.0", "1.0", "1.1"]);
  });

  it.each([429, 500, 503])("takes status %i for a failure that passes", async (status) => {
    const later = [new Response("wait", { status }), stream("data: end\n\n")];
    expect(await follow(stream(PRIMED), later)).toEqual({
      isOver: true,
      taken: ["end"],
      asked: ["1.0", "1.0"],
    });
  });

  it("tries until it is told to stop where any stream will do, and waits for half a minute at most", async () => {
    skipWaits();
    const controller = new AbortController();
    const starts: number[] = [];
    const reconnect = (): Promise<never> => {
      if (starts.push(Date.now()) === 20) controller.abort(new Error("enough"));
      return Promise.reject(new TypeError("fetch failed"));
    };
    const { signal } = controller;
    const following = follow(stream("data: a\n\n"), [], { signal, reconnect, resumes: "always" });
    await expect(following).rejects.toThrow("enough");
    expect((starts[19] ?? 0) - (starts[18] ?? 0)).toBe(32_000);
  });

  it("skips events of other kinds", async () => {
    const { taken } = await follow(stream("event: ping\ndata: x\n\nevent: message\ndata: end\n\n"), []);
    expect(taken).toEqual(["end"]);
  });

  it("does not wait for the end of a stream that has served its purpose", async () => {
    let isCancelled = false;
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode("data: end\n\n")),
      cancel: () => void (isCancelled = true),
    });
    const open = new Response(body, { headers: { "content-type": "text/event-stream" } });
    expect((await follow(open, [])).isOver).toBe(true);
    expect(isCancelled).toBe(true);
  });
});
