import { afterAll, beforeAll, expect, it } from "vitest";

import type { HttpCall } from "../http/http-call.ts";
import { HttpProgram } from "../http/http-program.ts";
import { HttpWire } from "../http/http-wire.ts";
import { CAPABLE } from "../support/asking.ts";
import { isAnswerTo, isOf } from "../support/message.ts";
import { describeWith } from "../support/programs.ts";
import { HTTP_FIXTURE } from "../support/servers.ts";
import { inSoak } from "../support/soak.ts";
import { startRedis, type RedisServer } from "./redis-server.ts";

const ALICE = { authorization: "alice" };
const BOB = { authorization: "bob" };
const REPLICAS = 3;

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

  /** Everything that Bob can do with what he must not know, at every replica: how often he was refused, and what he got. */
  async function intrude(
    session: HttpWire,
    eventId: string,
    question: unknown,
    over: AbortSignal,
  ): Promise<Loot> {
    const loot: { refused: number; got: string[] } = { refused: 0, got: [] };
    const forged = { jsonrpc: "2.0", id: question, result: { action: "accept", content: { word: "bob" } } };
    do {
      for (const { url } of replicas) {
        const at = session.at(url.href);
        const attempts: readonly (() => Promise<HttpCall>)[] = [
          () => at.send("ping", {}, { headers: BOB }),
          () => at.get(undefined, BOB),
          () => at.get(eventId, BOB),
          () => at.say(forged, BOB),
          () => at.delete(BOB),
        ];
        for (const attempt of attempts) {
          // Nobody answers where one was just killed; one that has just begun may not have the store yet.
          const answer = await attempt().catch(() => undefined);
          if (answer?.status === 404) loot.refused += 1;
          else if (answer && answer.status !== 503) loot.got.push(`${answer.status} ${answer.text}`);
          answer?.drop();
        }
      }
    } while (!over.aborted);
    return loot;
  }

  it("is out of reach for others, and goes on for whoever it belongs to", async () => {
    for (let round = 0; round < inSoak(20, 1); round += 1) {
      const [asking, other, dying] = [0, 1, 2].map((index) => (round + index) % REPLICAS) as [
        number,
        number,
        number,
      ];
      const urlOf = (index: number): string => (replicas[index] as HttpProgram).url.href;
      const session = await HttpWire.open(urlOf(dying), "2025-11-25", CAPABLE, ALICE);
      const call = await session.at(urlOf(asking)).sendTool("ask_twice", {}, { id: "call", headers: ALICE });
      const { id } = await call.hear(isOf("elicitation/create"));
      const eventId = call.events.findLast((event) => event.id !== undefined)?.id ?? "";
      expect(eventId).not.toBe("");
      const over = new AbortController();
      const intrusion = intrude(session, eventId, id, over.signal);
      await (replicas[dying] as HttpProgram).stop();
      replicas[dying] = await start();
      const result = { action: "accept", content: { word: "alice" } };
      const through = session.at(urlOf(other));
      expect((await through.say({ jsonrpc: "2.0", id, result }, ALICE)).status).toBe(202);
      const second = await call.hear((message) => isOf("elicitation/create")(message) && message.id !== id);
      await session.at(urlOf(dying)).say({ jsonrpc: "2.0", id: second.id, result }, ALICE);
      expect(await call.hear(isAnswerTo("call"))).toMatchObject({
        result: { content: [{ text: "alice alice" }] },
      });
      over.abort();
      const { refused, got } = await intrusion;
      expect(got).toEqual([]);
      expect(refused).toBeGreaterThan(REPLICAS);
      expect((await session.at(urlOf(dying)).delete(ALICE)).status).toBe(204);
    }
  });
});

interface Loot {
  readonly refused: number;
  readonly got: readonly string[];
}
