import { describe, expect, it } from "vitest";
import { createServer, ProtocolError, Reply, type Context, type Server } from "../../src/index.ts";
import { openLine, type Line } from "../../src/testing.ts";
import { REVISIONS } from "../revisions.ts";
import { settled } from "../transcript.ts";

/** A tool that waits until it is let go or aborted, and says what happened to it. */
function createWaiting(limits = {}): { server: Server; log: string[]; letGo: () => void } {
  const log: string[] = [];
  let letGo: () => void = () => undefined;
  const run = (_: never, { signal }: Context): Promise<string> =>
    new Promise((resolve) => {
      log.push("start");
      letGo = () => resolve("done");
      signal.addEventListener("abort", () => log.push("abort"));
    });
  const tools = [
    { name: "wait", description: "…", run },
    { name: "quick", description: "…", run: () => "quick" },
  ];
  return { server: createServer({ name: "s", version: "1", tools, limits }), log, letGo: () => letGo() };
}

const toMessage = (line: Line, said: string): string =>
  line.transcript
    .split("\n")
    .find((entry) => entry.includes(said))
    ?.slice(2) ?? "";

it.each(REVISIONS)("cancelling frees the id at once in %s", async (revision) => {
  const { server, log } = createWaiting();
  const line = await openLine(server, { revision });
  const waiting = line.request("tools/call", { name: "wait" });
  await settled();
  const said = toMessage(line, '"wait"');
  line.notify("notifications/cancelled", { requestId: (JSON.parse(said) as { id: number }).id });
  line.say(JSON.parse(said.replace('"wait"', '"quick"')));
  expect(await waiting).toMatchObject({ result: { content: [{ text: "quick" }] } });
  expect(log).toEqual(["start", "abort"]);
});

it.each(REVISIONS)("no more is in flight in %s than the server was told", async (revision) => {
  const { server, log, letGo } = createWaiting({ requestsInFlight: 2 });
  const line = await openLine(server, { revision });
  const [, second] = ["wait", "wait"].map((name) => line.request("tools/call", { name }));
  await settled();
  expect(await line.request("tools/call", { name: "quick" })).toMatchObject({ error: { code: -32603 } });
  letGo();
  await second;
  expect(await line.request("tools/call", { name: "quick" })).toMatchObject({ result: {} });
  expect(log).toEqual(["start", "start"]);
});

describe("what cannot be written as JSON", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;

  it.each<[string, () => Reply]>([
    ["a result", () => new Reply({ content: "x", meta: cycle })],
    [
      "an error",
      () => {
        throw new ProtocolError(-32001, "Stop", { big: 10n });
      },
    ],
  ])("is answered all the same, and reported: %s", async (_what, run) => {
    const reported: unknown[] = [];
    const onError = (thrown: unknown): void => void reported.push(thrown);
    const tools = [{ name: "t", description: "…", run }];
    const server = createServer({ name: "s", version: "1", tools, onError });
    const line = await openLine(server, { revision: "2025-06-18" });
    expect(await line.request("tools/call", { name: "t" })).toMatchObject({
      error: { code: -32603, message: "Internal error" },
    });
    expect(reported).toEqual([expect.any(TypeError)]);
  });
});
