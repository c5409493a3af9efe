import { describe, expect, it } from "vitest";
import { createServer, ProtocolError, type Context, type Server } from "../../src/index.ts";
import { openLine, type Line } from "../../src/testing.ts";
import { REVISIONS } from "../revisions.ts";
import { heardOn, isCalled, settled } from "../transcript.ts";

/** A tool that waits until it is let go or aborted, and says what happened to it. */
function createWaiting(limits = {}): { server: Server; log: string[]; letGo: () => void } {
  const log: string[] = [];
  let letGo: () => void = () => undefined;
  const run = (_: never, { signal, requestId, log: say, progress }: Context): Promise<string> =>
    new Promise((resolve) => {
      log.push(`start ${requestId}`);
      letGo = () => {
        say.error("after the end");
        progress(99);
        resolve("done");
      };
      signal.addEventListener("abort", () =>
        log.push(`abort ${requestId}: ${(signal.reason as Error).message}`),
      );
    });
  const tools = [
    { name: "wait", description: "…", run },
    { name: "quick", description: "…", run: () => "quick" },
  ];
  return { server: createServer({ name: "s", version: "1", tools, limits }), log, letGo: () => letGo() };
}

describe.each(REVISIONS)("cancelling in %s", (revision) => {
  /** With a request in flight. */
  const open = async (limits = {}): Promise<Opened> => {
    const { server, log, letGo } = createWaiting(limits);
    const line = await openLine(server, { revision });
    // `request` adds what the revision wants to be said with each request.
    const waiting = line.request("tools/call", { name: "wait", _meta: { progressToken: 1 } });
    waiting.catch(() => undefined);
    await settled();
    return { line, log, letGo, waiting };
  };
  type Opened = { line: Line; log: string[]; letGo: () => void; waiting: Promise<unknown> };

  const idOf = (line: Line): unknown => {
    const [last = ""] = line.transcript
      .split("\n")
      .filter((entry) => entry.includes('"wait"'))
      .slice(-1);
    return (JSON.parse(last.slice(2)) as { id: unknown }).id;
  };

  it("aborts the work, and nothing more is heard of it", async () => {
    const { line, log, letGo } = await open();
    line.notify("notifications/cancelled", { requestId: idOf(line), reason: "bored" });
    await settled();
    expect(log.map((entry) => entry.replace(/\d+/, "N"))).toEqual(["start N", "abort N: bored"]);
    const before = heardOn(line).length;
    letGo();
    await settled();
    expect(heardOn(line)).toHaveLength(before);
  });

  it("frees the id at once", async () => {
    const { line, log, waiting } = await open();
    line.notify("notifications/cancelled", { requestId: idOf(line) });
    const said = line.transcript.split("\n").find((entry) => entry.includes('"wait"')) ?? "";
    line.say(JSON.parse(said.slice(2).replace('"wait"', '"quick"')));
    expect(await waiting).toMatchObject({ result: { content: [{ text: "quick" }] } });
    expect(log).toHaveLength(2);
  });

  it.each([
    ["an unknown request", { requestId: 4711 }],
    ["no request", {}],
    ["something else", { requestId: { not: "an id" } }],
  ])("%s is no error", async (_what, params) => {
    const { line, letGo, waiting } = await open();
    line.notify("notifications/cancelled", params);
    await settled();
    letGo();
    expect(await waiting).toMatchObject({ result: { content: [{ text: "done" }] } });
  });

  it("twice, or after the answer, is no error", async () => {
    const { line, log, letGo, waiting } = await open();
    const id = idOf(line);
    letGo();
    expect(await waiting).toMatchObject({ result: { content: [{ text: "done" }] } });
    line.notify("notifications/cancelled", { requestId: id });
    line.notify("notifications/cancelled", { requestId: id });
    await settled();
    expect(log).toHaveLength(1);
    const answers = heardOn(line).filter((message) => message["id"] === id);
    expect(answers).toHaveLength(1);
  });

  it("cannot be done by a number for a text, or the other way round", async () => {
    const { line, letGo, log, waiting } = await open();
    line.notify("notifications/cancelled", { requestId: String(idOf(line)) });
    await settled();
    expect(log).toHaveLength(1);
    letGo();
    expect(await waiting).toMatchObject({ result: {} });
  });

  it("is not needed by an id that is in flight already: the second request is refused", async () => {
    const { line, letGo, waiting } = await open();
    const said = line.transcript.split("\n").find((entry) => entry.includes('"wait"')) ?? "";
    const id = idOf(line);
    line.say(JSON.parse(said.slice(2).replace('"wait"', '"quick"')));
    const refused = await waiting;
    expect(refused).toMatchObject({ id, error: { code: -32600 } });
    letGo();
    expect(await line.hear((message) => "id" in message && message.id === id)).toMatchObject({
      result: { content: [{ text: "done" }] },
    });
  });

  it("is all that helps when too much is in flight", async () => {
    const { line, log, letGo } = await open({ requestsInFlight: 2 });
    const second = line.request("tools/call", { name: "wait" });
    await settled();
    expect(await line.request("tools/call", { name: "quick" })).toMatchObject({ error: { code: -32603 } });
    letGo();
    await second;
    expect(await line.request("tools/call", { name: "quick" })).toMatchObject({ result: {} });
    expect(log).toHaveLength(2);
  });

  it("happens to everything when the client goes away", async () => {
    const { line, log } = await open();
    await line.close();
    await settled();
    expect(log).toHaveLength(2);
    expect(log[1]).toMatch(/^abort/);
  });
});

describe("what comes after the answer", () => {
  it.each(REVISIONS)("is not sent in %s", async (revision) => {
    const run = (_: never, { progress, log }: Context): string => {
      setTimeout(() => {
        progress(2);
        log.error("late");
      });
      progress(1);
      return "done";
    };
    const server = createServer({ name: "s", version: "1", tools: [{ name: "t", description: "…", run }] });
    const line = await openLine(server, { revision });
    const meta = { progressToken: "p", "io.modelcontextprotocol/logLevel": "debug" };
    await line.request("tools/call", { name: "t", _meta: meta });
    await settled(50);
    expect(
      heardOn(line).filter((message) => isCalled("notifications/progress")(message as never)),
    ).toHaveLength(1);
  });
});

it("an error that cannot be written is answered all the same", async () => {
  const run = (): never => {
    throw new ProtocolError(-32001, "Stop", { big: 10n });
  };
  const tools = [{ name: "t", description: "…", run }];
  const line = await openLine(createServer({ name: "s", version: "1", tools }), { revision: "2025-06-18" });
  expect(await line.request("tools/call", { name: "t" })).toMatchObject({ error: { code: -32603 } });
});
