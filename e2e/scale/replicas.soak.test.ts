import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";

import { describeWith } from "../support/programs.ts";
import { inSoak } from "../support/soak.ts";
import { Cluster } from "./cluster.ts";
import { askWhile } from "./impatient-clients.ts";
import { TeamDatabases } from "./team-databases.ts";
import { Watcher } from "./watcher.ts";
import { Writer } from "./writer.ts";

const ERAS = ["legacy", "modern", "legacy", "modern"] as const;

describeWith(["redis-server", "nginx"], "three replicas behind nginx, with Redis", () => {
  let databases: TeamDatabases;
  let cluster: Cluster;
  let watchers: readonly Watcher[] = [];
  let latest = 0;

  beforeAll(async () => {
    databases = new TeamDatabases();
    cluster = await Cluster.start(3, databases.toProgram());
    watchers = await Promise.all(ERAS.map((era) => Watcher.open(era, cluster.url)));
  });

  afterAll(async () => {
    await Promise.all(watchers.map((watcher) => watcher.close()));
    await cluster.stop();
  });

  /**
   * Clients of both eras write while something happens, and once more when it is over. Meanwhile a number changes, and each time
   * only when all who watch it know the last one.
   */
  async function writeWhile(name: string, trouble: () => Promise<void>): Promise<readonly Writer[]> {
    const over = new AbortController();
    const writers = ERAS.map((era, index) => new Writer(`${name}-${era}-${index}`, cluster.url, era));
    const changer = new Writer(`${name}-changer`, cluster.url, "modern");
    const repeat = async (writer: Writer, work: () => Promise<void>): Promise<void> => {
      while (!over.signal.aborted) {
        await work();
        await pause(inSoak(0, 30));
      }
      await work();
      await writer.close();
    };
    const work = [
      ...writers.map((writer) => repeat(writer, () => writer.write())),
      repeat(changer, () => change(changer)),
    ];
    await trouble();
    over.abort();
    await Promise.all(work);
    return writers;
  }

  async function change(writer: Writer): Promise<void> {
    latest += 1;
    const before = writer.acknowledged.length;
    await writer.setLatest(latest);
    // Nobody knows whether it changed.
    if (writer.acknowledged.length === before) return;
    const ignorant = (): readonly Watcher[] => watchers.filter((watcher) => !watcher.knows(latest));
    await expect.poll(() => ignorant().map(String)).toEqual([]);
    for (const { seen } of watchers) expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  }

  /** Calls that were acknowledged and did not happen once, and calls of unknown fate that happened more often. */
  function wrongCalls(writers: readonly Writer[]): readonly string[] {
    const times = databases.countCalls();
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

  it("answer every request in a rolling update, but for very few whose connection is reset", async () => {
    const rounds = inSoak(10, 1);
    const outcomes = await askWhile(cluster.url, inSoak(16, 2), async () => {
      for (let round = 0; round < rounds; round += 1) {
        for (const replica of cluster.replicas) {
          await pause(500);
          await replica.end("SIGTERM");
          await replica.start();
        }
      }
    });
    const { "200": answered, "502": reset = 0, ...others } = Object.fromEntries(outcomes);
    expect(answered).toBeGreaterThan(0);
    expect(others).toEqual({});
    // deploy/README.md says how rarely, and why.
    expect(reset).toBeLessThanOrEqual(Math.ceil((rounds * cluster.replicas.length) / 10));
  });
});
