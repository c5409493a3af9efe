import { setTimeout as pause } from "node:timers/promises";
import { HttpWire } from "@suite/check/wires";
import { afterAll, beforeAll, expect, it } from "vitest";

import { describeWith } from "../support/programs.ts";
import { HTTP_FIXTURE } from "../support/servers.ts";
import { inSoak } from "../support/soak.ts";
import { Cluster } from "./cluster.ts";
import { LegacyListener, ModernListener } from "./listener.ts";

const LISTENERS = 2;
const CHANGES = inSoak(400, 20);

describeWith(["redis-server", "nginx"], "changes that are announced one after the other", () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start(3, (port, store) => ({
      command: [...HTTP_FIXTURE, JSON.stringify({ port, store })],
    }));
  });

  afterAll(() => cluster.stop());

  /**
   * Every change is acknowledged before the next is made, at whichever replica nginx likes. Where trouble breaks no streams, each
   * listener hears of all of them; where it does, those who can resume.
   */
  async function changeWhile(
    name: string,
    isBreaking: boolean,
    trouble: () => Promise<void>,
  ): Promise<Heard> {
    const uris = Array.from({ length: CHANGES }, (_, index) => `demo:///cities/${name}/${index}`);
    let begun = 0;
    const legacy = await Promise.all(
      Array.from({ length: LISTENERS }, () => LegacyListener.subscribe(cluster.url, uris)),
    );
    const modern = Array.from(
      { length: LISTENERS },
      () => new ModernListener(cluster.url, uris, () => begun),
    );
    await Promise.all(modern.map((listener) => listener.start()));
    const over = trouble();
    for (const uri of uris) {
      begun += 1;
      await touch(uri);
      await pause(inSoak(100, 50));
    }
    await over;
    const last = uris.at(-1) ?? "";
    // One more change reaches whoever listens anew, too.
    await touch(last);
    for (const listener of modern) await expect.poll(() => listener.heard).toContain(last);
    for (const listener of isBreaking ? legacy : [...legacy, ...modern]) {
      const unheard = (): readonly string[] => without(uris, listener.heard);
      await expect.poll(unheard).toEqual([]);
    }
    await Promise.all([...legacy, ...modern].map((listener) => listener.stop()));
    return { uris, legacy, modern };
  }

  /** Made again where nobody answered: twice only tells more. */
  async function touch(uri: string): Promise<void> {
    const wire = await HttpWire.open(cluster.url, "2026-07-28");
    const isDone = async (): Promise<boolean> => {
      const answer = await wire.callTool("touch", { uri }).catch(() => undefined);
      return answer?.result !== undefined;
    };
    while (!(await isDone())) await pause(50);
  }

  it("are heard in that order while replicas are killed: all by who resumes, no gap by who listens anew", async () => {
    const { uris, legacy, modern } = await changeWhile("killed", true, async () => {
      for (let round = 0; round < inSoak(15, 1); round += 1) {
        const replica = cluster.replicas[round % cluster.replicas.length];
        await pause(inSoak(2000, 300));
        await replica?.end("SIGKILL");
        await pause(300);
        await replica?.start();
      }
    });
    for (const listener of legacy) {
      expect([...new Set(listener.heard)]).toEqual(uris);
      expectToGrow(listener.positions);
    }
    for (const { begins, heardByConnection } of modern) {
      for (const [index, heard] of heardByConnection.entries()) {
        const from = begins[index] ?? 0;
        const due = [...new Set(heard)].filter((uri) => uris.indexOf(uri) >= from && uri !== uris.at(-1));
        expect(due).toEqual(uris.slice(from, from + due.length));
      }
    }
  });

  it("are all heard, in one order by all, while Redis is killed and cut off", async () => {
    const { legacy } = await changeWhile("redis", false, async () => {
      for (let round = 0; round < inSoak(5, 1); round += 1) {
        await pause(inSoak(1000, 200));
        await cluster.redis.kill();
        await pause(inSoak(2000, 300));
        await cluster.redis.start();
        await pause(inSoak(1000, 200));
        cluster.network.cut();
        await pause(inSoak(round % 2 === 0 ? 4000 : 1000, 300));
        cluster.network.heal();
      }
    });
    const [first] = legacy;
    for (const listener of legacy) {
      expectToGrow(listener.positions);
      expect([...new Set(listener.heard)]).toEqual([...new Set(first?.heard)]);
    }
  });
});

interface Heard {
  readonly uris: readonly string[];
  readonly legacy: readonly LegacyListener[];
  readonly modern: readonly ModernListener[];
}

/** Quickly: the way to Redis leads through this process, and one that is busy for seconds cuts it. */
function without(uris: readonly string[], heard: readonly string[]): readonly string[] {
  const known = new Set(heard);
  return uris.filter((uri) => !known.has(uri));
}

/** Nothing comes twice, and nothing late. */
function expectToGrow(positions: readonly number[]): void {
  expect(positions).toEqual([...new Set(positions)].toSorted((a, b) => a - b));
}
