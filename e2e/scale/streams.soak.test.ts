import { setTimeout as pause } from "node:timers/promises";
import { type HttpCall, HttpWire, isOf, isResponse, type Message } from "@suite/check/wires";
import { afterAll, beforeAll, expect, it } from "vitest";

import { describeWith } from "../support/programs.ts";
import { HTTP_FIXTURE } from "../support/servers.ts";
import { inSoak } from "../support/soak.ts";
import { Cluster } from "./cluster.ts";

const COUNT = inSoak(200, 100);
/** How long Redis is away: longer than events wait for it, and shorter. */
const AWAY_MS = [1500, 300];
const ENDLESS = 1_000_000;
const EVENTS_PER_CONNECTION = 7;

describeWith(
  ["redis-server", "nginx"],
  "the stream of a call whose client loses its connection again and again",
  () => {
    let cluster: Cluster;

    beforeAll(async () => {
      cluster = await Cluster.start(3, (port, store) => ({
        command: [...HTTP_FIXTURE, JSON.stringify({ port, store })],
      }));
    });

    afterAll(() => cluster.stop());

    const replicaAt = (index: number): Cluster["replicas"][number] =>
      cluster.replicas[index % cluster.replicas.length] as Cluster["replicas"][number];

    /** All that a call says, over connections to one replica after the other, each of which is cut after some events. */
    async function follow(
      session: HttpWire,
      owner: number,
      to: number,
      heard: Message[] = [],
    ): Promise<readonly Message[]> {
      const args = { to, pauseMs: 20 };
      let connection = await session.at(replicaAt(owner).url).sendTool("count_aloud", args, { id: "call" });
      let lastEventId: string | undefined;
      for (let next = owner + 1; ; next += 1) {
        const { messages, id } = await readSome(connection);
        heard.push(...messages);
        lastEventId = id ?? lastEventId;
        if (heard.some(isResponse)) return heard;
        connection = await resume(session, next, lastEventId);
      }
    }

    /** Wherever somebody answers. */
    async function resume(
      session: HttpWire,
      first: number,
      lastEventId: string | undefined,
    ): Promise<HttpCall> {
      for (let index = first; ; index += 1) {
        const resumed = await session
          .at(replicaAt(index).url)
          .get(lastEventId)
          .catch(() => undefined);
        if (resumed?.status === 200) return resumed;
        await pause(50);
      }
    }

    it("goes on at any other without a gap, and says nothing twice, while replicas and Redis are killed", async () => {
      for (let round = 0; round < inSoak(15, 1); round += 1) {
        const session = await HttpWire.open(replicaAt(round).url, "2025-11-25");
        const following = follow(session, round, COUNT);
        await pause(60 + 20 * round);
        await replicaAt(round + 1).end("SIGKILL");
        await cluster.redis.kill();
        await pause(AWAY_MS[round % AWAY_MS.length] ?? 0);
        await Promise.all([replicaAt(round + 1).start(), cluster.redis.start()]);
        const heard = await following;
        expect(numbersIn(heard)).toEqual(Array.from({ length: COUNT }, (_, index) => index + 1));
        expect(heard.filter(isResponse)).toMatchObject([
          { id: "call", result: { content: [{ text: `counted to ${COUNT}` }] } },
        ]);
      }
    });

    it("ends with the word that nobody knows when its own replica is killed", async () => {
      const session = await HttpWire.open(replicaAt(0).url, "2025-11-25");
      const heard: Message[] = [];
      const following = follow(session, 0, ENDLESS, heard);
      await expect.poll(() => heard.length).toBeGreaterThan(0);
      await replicaAt(0).end("SIGKILL");
      await following;
      await replicaAt(0).start();
      const numbers = numbersIn(heard);
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
      expect(heard.filter(isResponse)).toMatchObject([
        {
          id: "call",
          error: { message: expect.stringContaining("how far it got is unknown") as string },
        },
      ]);
    });
  },
);

/** Some of what comes over a connection, which is then cut, and where to resume. */
async function readSome(
  connection: HttpCall,
): Promise<{ readonly messages: readonly Message[]; readonly id: string | undefined }> {
  let isOver = false;
  void connection.ended.then(() => (isOver = true));
  await expect
    .poll(
      () =>
        isOver || connection.messages.length >= EVENTS_PER_CONNECTION || connection.messages.some(isResponse),
    )
    .toBe(true);
  connection.drop();
  await connection.ended;
  const { messages, events } = connection;
  return { messages, id: events.findLast(({ id }) => id !== undefined)?.id };
}

const numbersIn = (messages: readonly Message[]): readonly unknown[] =>
  messages.filter(isOf("notifications/message")).map(({ params }) => params?.["data"]);
