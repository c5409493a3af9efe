import { describe, expect, it } from "vitest";
import { createServer, type Context, type Server } from "../../src/index.ts";
import { openLine } from "../../src/testing.ts";
import { REVISIONS } from "../revisions.ts";
import { heardOn, isCalled, settled } from "../transcript.ts";

describe.each(REVISIONS)("progress in %s", (revision) => {
  const run = (_: never, { progress }: Context): string => {
    for (const value of [1, 3, 2, 5]) progress(value, 5, `at ${value}`);
    return "done";
  };
  const server = (): Server =>
    createServer({ name: "s", version: "1", tools: [{ name: "t", description: "…", run }] });

  it.each(["token", 7, 0, ""])("goes out before the answer, under the token %j", async (progressToken) => {
    const line = await openLine(server(), { revision });
    await line.request("tools/call", { name: "t", _meta: { progressToken } });
    const heard = heardOn(line).slice(-3);
    const message = (value: number): object => (revision === "2024-11-05" ? {} : { message: `at ${value}` });
    expect(heard.slice(0, 2).map(({ params }) => params)).toEqual([
      { progressToken, progress: 1, total: 5, ...message(1) },
      { progressToken, progress: 5, total: 5, ...message(5) },
    ]);
    expect(heard[2]).toHaveProperty("result");
  });

  it("is not sent unless it was asked for", async () => {
    const line = await openLine(server(), { revision });
    await line.request("tools/call", { name: "t" });
    expect(heardOn(line).filter(({ method }) => method !== undefined)).toEqual([]);
  });

  it.each([Infinity, NaN])("of a total of %d is sent without one: JSON has no such number", async (total) => {
    const tool = {
      name: "t",
      description: "…",
      run: (_: never, { progress }: Context) => progress(1, total),
    };
    const line = await openLine(createServer({ name: "s", version: "1", tools: [tool] }), { revision });
    await line.request("tools/call", { name: "t", _meta: { progressToken: 1 } });
    const { params } = (await line.hear(isCalled("notifications/progress"))) as { params?: unknown };
    expect(params).toEqual({ progressToken: 1, progress: 1 });
  });

  it("that is held back is not sent once the request is cancelled", async () => {
    let report: (value: number) => void = () => undefined;
    const wait = (_: never, { progress }: Context): Promise<string> => {
      report = progress;
      return new Promise(() => progress(1));
    };
    const waiting = createServer({
      name: "s",
      version: "1",
      tools: [{ name: "t", description: "…", run: wait }],
    });
    const line = await openLine(waiting, { revision });
    const requestId = line.begin("tools/call", { name: "t", _meta: { progressToken: 1 } });
    await line.hear(isCalled("notifications/progress"));
    for (const value of [2, 3]) report(value);
    line.notify("notifications/cancelled", { requestId });
    await settled(50);
    expect(line.transcript).not.toContain('"progress":3');
  });

  it.each([1.5, null, {}, true])("is refused under the token %j", async (progressToken) => {
    const line = await openLine(server(), { revision });
    const response = await line.request("tools/call", { name: "t", _meta: { progressToken } });
    expect(response).toMatchObject({ error: { code: -32602 } });
  });
});
