import { describe, expect, it } from "vitest";
import { createServer, type Context, type Server } from "../../src/index.ts";
import { openLine } from "../../src/testing.ts";
import { REVISIONS } from "../revisions.ts";
import { isCalled, settled } from "../transcript.ts";

const serverWith = (run: (context: Context) => unknown): Server =>
  createServer({
    name: "s",
    version: "1",
    tools: [{ name: "t", description: "…", run: (_: never, context) => run(context) }],
  });

describe.each(REVISIONS)("progress in %s", (revision) => {
  it.each([Infinity, NaN])("of a total of %d is sent without it: JSON has no such number", async (total) => {
    const line = await openLine(
      serverWith(({ progress }) => progress(1, total)),
      { revision },
    );
    await line.request("tools/call", { name: "t", _meta: { progressToken: 1 } });
    const { params } = (await line.hear(isCalled("notifications/progress"))) as { params?: unknown };
    expect(params).toEqual({ progressToken: 1, progress: 1 });
  });

  it("that is held back is not sent once the request is cancelled", async () => {
    let report: (value: number) => void = () => undefined;
    const waiting = serverWith(({ progress }) => {
      report = progress;
      return new Promise(() => progress(1));
    });
    const line = await openLine(waiting, { revision });
    const requestId = line.begin("tools/call", { name: "t", _meta: { progressToken: 1 } });
    await line.hear(isCalled("notifications/progress"));
    for (const value of [2, 3]) report(value);
    line.notify("notifications/cancelled", { requestId });
    await settled(50);
    expect(line.transcript).not.toContain('"progress":3');
  });
});
