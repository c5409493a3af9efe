import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, it } from "vitest";

import { describeWith } from "../support/programs.ts";
import { inSoak } from "../support/soak.ts";
import { Cluster } from "./cluster.ts";
import { askWhile } from "./impatient-clients.ts";
import { Writer } from "./writer.ts";

const INSIGHTS = "memo://insights";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describeWith(["redis-server", "nginx"], "three replicas behind nginx, with Redis", () => {
  let cluster: Cluster;
  beforeAll(async () => void (cluster = await Cluster.start(3)));
  afterAll(() => cluster.stop());

  /** Clients of both eras write while something happens, and once more when it is over. */
  async function writeWhile(name: string, trouble: () => Promise<void>): Promise<readonly Writer[]> {
    const over = new AbortController();
    const eras = ["legacy", "modern", "legacy", "modern"] as const;
    const writers = eras.map((era, index) => new Writer(`${name}-${era}-${index}`, cluster.url, era));
    const work = writers.map(async (writer) => {
      while (!over.signal.aborted) await writer.write();
      await writer.write();
      await writer.close();
    });
    await trouble();
    over.abort();
    await Promise.all(work);
    return writers;
  }

  /** Calls that were acknowledged and did not happen once, and calls of unknown fate that happened more often. */
  function wrongCalls(writers: readonly Writer[]): readonly string[] {
    const times = cluster.countCalls();
    return writers.flatMap(({ acknowledged, unknown }) => [
      ...acknowledged.filter((key) => times.get(key) !== 1),
      ...unknown.filter((key) => (times.get(key) ?? 0) > 1),
    ]);
  }

  it("do every acknowledged call once while they are killed and started again", async () => {
    const writers = await writeWhile("killed", async () => {
      for (let round = 0; round < inSoak(20, 1); round += 1) {
        const replica = cluster.replicas[round % cluster.replicas.length];
        await pause(inSoak(2000, 700));
        await replica?.end("SIGKILL");
        await pause(300);
        await replica?.start();
      }
    });
    expect(wrongCalls(writers)).toEqual([]);
  });

  it("do every acknowledged call once while Redis is killed and started again", async () => {
    const writers = await writeWhile("redis", async () => {
      for (let round = 0; round < inSoak(10, 1); round += 1) {
        await pause(inSoak(2000, 500));
        await cluster.redis.kill();
        await pause(inSoak(3000, 800));
        await cluster.redis.start();
        await pause(500);
      }
    });
    expect(wrongCalls(writers)).toEqual([]);
  });

  it("do every acknowledged call once while the network to Redis is cut and heals", async () => {
    const writers = await writeWhile("cut", async () => {
      for (let round = 0; round < inSoak(10, 1); round += 1) {
        await pause(inSoak(2000, 300));
        cluster.network.cut();
        // Longer than the replicas wait for an answer, and shorter.
        await pause(inSoak(round % 2 === 0 ? 5000 : 1000, 1000));
        cluster.network.heal();
        await pause(500);
      }
    });
    expect(wrongCalls(writers)).toEqual([]);
    expect(writers.flatMap(({ unknown }) => unknown)).toEqual([]);
  });

  it("lose no call in a rolling update, and no session", async () => {
    const writers = await writeWhile("rolled", async () => {
      await pause(300);
      for (const replica of cluster.replicas) {
        await replica.end("SIGTERM");
        await replica.start();
      }
    });
    expect(wrongCalls(writers)).toEqual([]);
    expect(writers.flatMap(({ unknown }) => unknown)).toEqual([]);
    const failures = writers.flatMap((writer) => writer.failures);
    expect(failures.filter((failure) => /404|no such session/i.test(failure))).toEqual([]);
  });

  it("answer every request in a rolling update, the first time it is sent", async () => {
    const outcomes = await askWhile(cluster.url, 16, async () => {
      for (let round = 0; round < inSoak(10, 1); round += 1) {
        for (const replica of cluster.replicas) {
          await pause(500);
          await replica.end("SIGTERM");
          await replica.start();
        }
      }
    });
    expect(outcomes).toEqual(new Map([["200", expect.any(Number)]]));
  });

  it("tell a legacy client of every change, whichever of them it listens to", async () => {
    const transport = new StreamableHTTPClientTransport(new URL(cluster.url), {
      reconnectionOptions: {
        initialReconnectionDelay: 100,
        maxReconnectionDelay: 500,
        reconnectionDelayGrowFactor: 1.5,
        maxRetries: 100,
      },
    });
    const client = new Client({ name: "listener", version: "1" });
    let heard = 0;
    client.fallbackNotificationHandler = async ({ method }) => {
      if (method === "notifications/resources/updated") heard += 1;
    };
    await client.connect(transport);
    await client.subscribeResource({ uri: INSIGHTS });
    for (let round = 0; round < inSoak(30, 6); round += 1) {
      const replica = cluster.replicas[round % cluster.replicas.length];
      const isHard = round % 2 === 1;
      if (isHard) await replica?.end("SIGKILL");
      const before = heard;
      await retry(() => client.callTool({ name: "append_insight", arguments: { insight: `${round}` } }));
      await expect.poll(() => heard).toBeGreaterThan(before);
      if (isHard) await replica?.start();
    }
    await client.close();
  });
});

/** A call that no replica took is made again: twice would only tell more. */
async function retry(call: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await call();
      return;
    } catch (thrown) {
      if (attempt === 20) throw thrown;
      await pause(100);
    }
  }
}
