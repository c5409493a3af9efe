import { describe, expect, it } from "vitest";
import { createServer, defineTool, Reply, type Server } from "../../src/index.ts";
import { openLine } from "../../src/testing.ts";
import { MODERN, REVISIONS } from "../revisions.ts";
import { heardOn, settled } from "../transcript.ts";

const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;

const createTools = (): Server =>
  createServer({
    name: "s",
    version: "1",
    limits: { batch: 5 },
    tools: [
      defineTool({ name: "quick", description: "…", run: () => "quick" }),
      defineTool({
        name: "slow",
        description: "…",
        run: () => new Promise<string>((resolve) => setTimeout(() => resolve("slow"), 30)),
      }),
      defineTool({ name: "never", description: "…", run: () => new Promise<string>(() => undefined) }),
      defineTool({
        name: "unwritable",
        description: "…",
        run: () => new Reply({ content: "x", meta: cycle }),
      }),
      defineTool({ name: "talks", description: "…", run: (_input, { log }) => (log.error("said"), "x") }),
    ],
  });

const call = (id: number | string, name: string): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name },
});
const cancel = (requestId: number): object => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId },
});

/** Everything heard in answer to one batch. */
async function send(batch: unknown): Promise<unknown[]> {
  const line = await openLine(createTools(), { revision: "2025-03-26" });
  line.say(batch);
  await settled(80);
  return line.transcript
    .split("\n")
    .filter((entry) => entry.startsWith("←"))
    .slice(1)
    .map((entry) => JSON.parse(entry.slice(2)) as unknown);
}

const ids = (answers: unknown): unknown[] => (answers as { id: unknown }[]).map(({ id }) => id);

describe("a batch in 2025-03-26", () => {
  it("does not wait for what was cancelled", async () => {
    const [answers] = await send([call(11, "never"), call(12, "quick"), cancel(11)]);
    expect(ids(answers)).toEqual([12]);
    expect(await send([call(11, "never"), cancel(11)])).toEqual([]);
  });

  it("lets notifications out at once and by themselves", async () => {
    const heard = await send([call(11, "talks"), call(12, "slow")]);
    expect(heard).toMatchObject([{ method: "notifications/message" }, [{ id: 11 }, { id: 12 }]]);
  });

  it("answers a result that is no JSON with an error, and the others all the same", async () => {
    const heard = await send([call(11, "unwritable"), call(12, "quick"), call(13, "slow")]);
    expect(heard).toMatchObject([[{ id: 11, error: { code: -32603 } }, { id: 12 }, { id: 13 }]]);
  });

  it("takes no id twice", async () => {
    const [answers] = await send([call(11, "slow"), call(11, "quick")]);
    expect(answers).toMatchObject([
      { id: 11, error: { code: -32600 } },
      { id: 11, result: {} },
    ]);
  });

  it.each([[[]], [Array.from({ length: 6 }, (_, at) => call(at + 20, "quick"))]])(
    "is neither empty nor too long: %#",
    async (batch) => {
      expect(await send(batch)).toMatchObject([{ error: { code: -32600 } }]);
    },
  );
});

describe.each(REVISIONS.filter((revision) => revision !== "2025-03-26"))("a batch in %s", (revision) => {
  it("is refused as a whole", async () => {
    const line = await openLine(createTools(), { revision });
    line.say([call(11, "quick"), call(12, "quick")]);
    await settled();
    const refused = heardOn(line).slice(revision === MODERN ? 0 : 1);
    expect(refused).toMatchObject([{ error: { code: -32600 } }]);
    expect(refused[0]).not.toHaveProperty("id");
  });
});
