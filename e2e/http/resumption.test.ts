import { setTimeout as pause } from "node:timers/promises";
import { type HttpCall, isOf, isResponse, textOf } from "@suite/check/wires";
import { expect } from "vitest";

import { verify } from "./verify.ts";

const PROGRESS = isOf("notifications/progress");
const progressing = (token: string): { meta: { progressToken: string } } => ({
  meta: { progressToken: token },
});
const lastIdOf = ({ events }: HttpCall): string | undefined =>
  events.findLast(({ id }) => id !== undefined)?.id;

verify(
  ["http/priming-event"],
  "starts every stream with an event that has an id and no data",
  async ({ open }) => {
    const wire = await open();
    const posted = await wire.sendTool("progress", { steps: 2 }, progressing("p"));
    await posted.ended;
    const streams = [posted, await wire.get(), await wire.get(lastIdOf(posted))];
    for (const stream of streams) {
      while (stream.events.length === 0) await pause(5);
      expect(stream.events[0]?.id).toMatch(/^[\x21-\x7e]+$/);
      expect(stream.events[0]?.data).toBe("");
    }
  },
);

verify(
  ["http/retry-before-close"],
  "says when to come back before it lets a connection go, and answers whoever does",
  async ({ open }) => {
    const wire = await open();
    const stream = await wire.sendTool("detaching", {}, { id: "later" });
    expect(await stream.ended).toBe(true);
    expect(stream.messages).toEqual([]);
    expect(stream.events.at(-1)?.retry).toMatch(/^\d+$/);
    const rest = await wire.get(lastIdOf(stream));
    expect(await rest.answer()).toMatchObject({ id: "later" });
    expect(textOf(await rest.answer())).toBe("still here");
    const standalone = await wire.get();
    while (standalone.events.length === 0) await pause(5);
    expect(standalone.events[0]?.retry).toMatch(/^\d+$/);
  },
);

verify(
  ["http/event-ids-unique", "http/event-ids-name-stream"],
  "numbers the events of all streams so that each id names its stream",
  async ({ open }) => {
    const wire = await open();
    const standalone = await wire.get();
    const streams = await Promise.all(
      ["a", "b", "c"].map((token) => wire.sendTool("progress", { steps: 4 }, progressing(token))),
    );
    await wire.callTool("log_unprompted");
    await wire.callTool("log_unprompted");
    await Promise.all(streams.map(({ ended }) => ended));
    const ids = [standalone, ...streams].flatMap(({ events }) => events.flatMap(({ id }) => id ?? []));
    expect(ids.length).toBeGreaterThanOrEqual(14);
    expect(new Set(ids).size).toBe(ids.length);
    // Nothing but the id is given: the stream that comes back is the one it came from.
    for (const stream of streams) {
      const again = await wire.get(stream.events[1]?.id);
      expect((await again.answer()).id).toBe(stream.messages.at(-1)?.id);
    }
  },
);

verify(
  ["http/event-ids-unique", "http/replay-own-stream-only"],
  "resumes a broken stream after the last event, with nothing lost, doubled or of another stream",
  async ({ open }) => {
    const wire = await open();
    const standalone = await wire.get();
    const other = await wire.sendTool("progress", { steps: 8, pauseMs: 40 }, progressing("other"));
    const broken = await wire.sendTool("progress", { steps: 8, pauseMs: 40 }, progressing("mine"));
    await broken.hear(PROGRESS);
    broken.drop();
    await wire.callTool("log_unprompted");
    const connections = [broken];
    for (let last = broken; !last.messages.some(isResponse); connections.push(last)) {
      await pause(100);
      last = await wire.get(lastIdOf(last));
      await last.hear((message) => PROGRESS(message) || isResponse(message));
      last.drop();
    }
    await other.ended;
    const all = connections.flatMap(({ messages }) => messages);
    const told = all.filter(PROGRESS);
    expect(told.filter(({ params }) => params?.["progressToken"] !== "mine")).toEqual([]);
    const steps = told.map(({ params }) => params?.["progress"]);
    expect(steps).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(all.filter(isResponse).map(textOf)).toEqual(["8 steps"]);
    await standalone.hear(isOf("notifications/message"));
    expect(standalone.messages).toHaveLength(1);
  },
);

verify(
  ["http/replay-own-stream-only", "http/no-broadcast"],
  "brings on the session's own stream what came while nobody listened, once",
  async ({ open }) => {
    const wire = await open();
    const first = await wire.get();
    await wire.callTool("log_unprompted");
    await first.hear(isOf("notifications/message"));
    first.drop();
    await pause(50);
    await wire.callTool("log_unprompted");
    await wire.callTool("log_unprompted");
    const second = await wire.get(lastIdOf(first));
    await second.hear(isOf("notifications/message"));
    await second.hear(isOf("notifications/message"));
    second.drop();
    await pause(50);
    const third = await wire.get(lastIdOf(second));
    await wire.callTool("log_unprompted");
    await third.hear(isOf("notifications/message"));
    expect([first, second, third].map(({ messages }) => messages.length)).toEqual([1, 2, 1]);
  },
);

verify(["http/replay-own-stream-only"], "refuses to resume what is none of its streams", async ({ open }) => {
  const [wire, other] = [await open(), await open()];
  const stream = await other.sendTool("progress", { steps: 2 }, progressing("p"));
  await stream.ended;
  expect((await other.get(lastIdOf(stream))).status).toBe(200);
  for (const id of [lastIdOf(stream), "999.1", "x", "1", "-1.0", "1.-1", "1.1.1", "é", " "])
    expect((await wire.get(id)).status, id).toBe(400);
});
