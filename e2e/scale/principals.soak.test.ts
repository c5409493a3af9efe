import { CAPABLE, type HttpCall, HttpWire, isAnswerTo, isOf, type Message } from "@suite/check/wires";
import { afterAll, beforeAll, expect, it } from "vitest";

import { HttpProgram } from "../http/http-program.ts";
import { describeWith } from "../support/programs.ts";
import { HTTP_FIXTURE } from "../support/servers.ts";
import { inSoak } from "../support/soak.ts";
import { startRedis, type RedisServer } from "./redis-server.ts";

const ALICE = { authorization: "alice" };
const BOB = { authorization: "bob" };
const REPLICAS = 3;
const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const ANSWER = { action: "accept", content: { word: "alice" } };
const NO_TASK = "There is no such task";
const AWAY = "cannot be reached right now";

describeWith(["redis-server"], "what belongs to one caller while replicas are killed", () => {
  let redis: RedisServer;
  const replicas: HttpProgram[] = [];

  beforeAll(async () => {
    redis = await startRedis();
    replicas.push(...(await Promise.all(Array.from({ length: REPLICAS }, start))));
  });

  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await redis.stop();
  });

  const start = (): Promise<HttpProgram> =>
    HttpProgram.start([JSON.stringify({ believesNames: true, store: redis.url })], HTTP_FIXTURE);

  /** Bob tries everything at every replica, until it is over: how often he was refused, and what he got. */
  async function intrude(toAttempts: (url: string) => Attempts, over: AbortSignal): Promise<Loot> {
    const loot: { refused: number; got: string[] } = { refused: 0, got: [] };
    do {
      for (const { url } of replicas) {
        for (const attempt of toAttempts(url.href)) {
          // Nobody answers where one was just killed; one that has just begun may not have the store yet.
          const answer = await attempt().catch(() => undefined);
          if (answer?.status === 404 || answer?.text.includes(NO_TASK)) loot.refused += 1;
          else if (answer && answer.status !== 503 && !answer.text.includes(AWAY))
            loot.got.push(`${answer.status} ${answer.text}`);
          answer?.drop();
        }
      }
    } while (!over.aborted);
    return loot;
  }

  /** Has Bob try while a replica is killed and started again, and whoever is meant goes on. */
  async function intrudeWhile(
    dying: number,
    toAttempts: (url: string) => Attempts,
    goOn: () => Promise<void>,
  ): Promise<void> {
    const over = new AbortController();
    const intrusion = intrude(toAttempts, over.signal);
    await (replicas[dying] as HttpProgram).stop();
    replicas[dying] = await start();
    await goOn().finally(() => over.abort());
    const { refused, got } = await intrusion;
    expect(got).toEqual([]);
    expect(refused).toBeGreaterThan(REPLICAS);
  }

  const urlOf = (index: number): string => (replicas[index % REPLICAS] as HttpProgram).url.href;

  it("is a session: out of reach for others, and continued by whoever it belongs to", async () => {
    for (let round = 0; round < inSoak(20, 1); round += 1) {
      const [asking, other, dying] = [round, round + 1, (round + 2) % REPLICAS] as const;
      const session = await HttpWire.open(urlOf(dying), "2025-11-25", CAPABLE, ALICE);
      const call = await session.at(urlOf(asking)).sendTool("ask_twice", {}, { id: "call", headers: ALICE });
      const { id } = await call.hear(isOf("elicitation/create"));
      const eventId = call.events.findLast((event) => event.id !== undefined)?.id ?? "";
      expect(eventId).not.toBe("");
      const forged = { jsonrpc: "2.0", id, result: { action: "accept", content: { word: "bob" } } };
      const toAttempts = (url: string): Attempts => {
        const at = session.at(url);
        return [
          () => at.send("ping", {}, { headers: BOB }),
          () => at.get(undefined, BOB),
          () => at.get(eventId, BOB),
          () => at.say(forged, BOB),
          () => at.delete(BOB),
        ];
      };
      await intrudeWhile(dying, toAttempts, async () => {
        const through = session.at(urlOf(other));
        expect((await through.say({ jsonrpc: "2.0", id, result: ANSWER }, ALICE)).status).toBe(202);
        const second = await call.hear((message) => isOf("elicitation/create")(message) && message.id !== id);
        // One that has just begun may not have the store yet.
        const answer = async (): Promise<number> =>
          (await session.at(urlOf(dying)).say({ jsonrpc: "2.0", id: second.id, result: ANSWER }, ALICE))
            .status;
        await expect.poll(answer).toBe(202);
        expect(await call.hear(isAnswerTo("call"))).toMatchObject({
          result: { content: [{ text: "alice alice" }] },
        });
      });
      expect((await session.at(urlOf(dying)).delete(ALICE)).status).toBe(204);
    }
  });

  it("is a task: out of reach for others, and continued by whoever it belongs to", async () => {
    for (let round = 0; round < inSoak(20, 1); round += 1) {
      const [asking, other, dying] = [round, round + 1, (round + 2) % REPLICAS] as const;
      const wire = await HttpWire.open(urlOf(asking), "2026-07-28", { ...CAPABLE, ...TASKS });
      const begun = await wire.callTool("keep_word", {}, { headers: ALICE });
      const taskId = begun.result?.["taskId"] as string;
      const look = async (index: number): Promise<unknown> =>
        (await wire.at(urlOf(index)).request("tasks/get", { taskId }, { headers: ALICE })).result;
      await expect.poll(() => look(other)).toMatchObject({ status: "input_required" });
      const forged = { taskId, inputResponses: { word: { action: "accept", content: { word: "bob" } } } };
      const toAttempts = (url: string): Attempts => {
        const at = wire.at(url);
        return [
          () => whole(at.send("tasks/get", { taskId }, { headers: BOB })),
          () => whole(at.send("tasks/update", forged, { headers: BOB })),
          () => whole(at.send("tasks/cancel", { taskId }, { headers: BOB })),
        ];
      };
      await intrudeWhile(dying, toAttempts, async () => {
        const inputResponses = { word: ANSWER };
        const params = { taskId, inputResponses };
        // One that has just begun may not have the store yet.
        const answer = async (): Promise<Message> =>
          wire.at(urlOf(dying)).request("tasks/update", params, { headers: ALICE });
        await expect.poll(answer).toHaveProperty("result");
        const done = { status: "completed", result: { content: [{ text: "alice" }] } };
        await expect.poll(() => look(other)).toMatchObject(done);
      });
      const listening = await wire
        .at(urlOf(other))
        .send("subscriptions/listen", { notifications: { taskIds: [taskId] } }, { headers: BOB });
      const heard = await listening.hear(isOf("notifications/subscriptions/acknowledged"));
      expect(heard.params).toMatchObject({ notifications: {} });
      expect(JSON.stringify(heard)).not.toContain(taskId);
      listening.drop();
    }
  });
});

type Attempts = readonly (() => Promise<HttpCall>)[];

interface Loot {
  readonly refused: number;
  readonly got: readonly string[];
}

/** With all that it says. */
async function whole(sent: Promise<HttpCall>): Promise<HttpCall> {
  const answer = await sent;
  await answer.ended;
  return answer;
}
