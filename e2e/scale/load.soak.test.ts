import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { PATIENCE_MS } from "@suite/check/wires";
import { afterAll, beforeAll, expect, it } from "vitest";

import { HttpPeer, type OpenStream } from "../load/http-peer.ts";
import { inBatches } from "../load/in-batches.ts";
import { describeWith } from "../support/programs.ts";
import { inSoak } from "../support/soak.ts";
import { startRedis, type RedisServer } from "./redis-server.ts";

const SERVER = fileURLToPath(new URL("../dist/load/server.js", import.meta.url));
const REPLICAS = 3;
const LISTENERS = inSoak(2000, 300);
const CALLS = inSoak(100_000, 1000);
const SESSIONS = inSoak(20_000, 200);

/** One process, and a client of it. */
class LoadedReplica {
  readonly #child: ChildProcess;
  readonly peer: HttpPeer;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.peer = new HttpPeer(port);
  }

  static async start(store: string): Promise<LoadedReplica> {
    const args = ["--expose-gc", SERVER, store];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const [chunk] = (await once(child.stdout, "data", { signal: AbortSignal.timeout(PATIENCE_MS) })) as [
      Buffer,
    ];
    return new LoadedReplica(child, Number(chunk.toString("utf8")));
  }

  async stop(): Promise<void> {
    this.peer.close();
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }
}

describeWith(["redis-server"], "three replicas under load, with Redis", () => {
  let redis: RedisServer;
  let replicas: readonly LoadedReplica[];
  const peerOf = (index: number): HttpPeer => (replicas[index % REPLICAS] as LoadedReplica).peer;

  beforeAll(async () => {
    redis = await startRedis();
    replicas = await Promise.all(Array.from({ length: REPLICAS }, () => LoadedReplica.start(redis.url)));
  });

  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await redis.stop();
  });

  it(`tell ${LISTENERS} listeners of one change`, async () => {
    const streams: OpenStream[] = [];
    await inBatches(LISTENERS, async (index) => void streams.push(await peerOf(index).listen()));
    const heardAt = streams.map(({ response }) => arrivalOf(response, "notifications/resources/updated"));
    const beganAt = performance.now();
    await peerOf(0).call("touch", {});
    const latencies = (await Promise.all(heardAt)).map((at) => at - beganAt).toSorted((a, b) => a - b);
    expect(latencies).toHaveLength(LISTENERS);
    const at = (part: number): string => (latencies[Math.floor((LISTENERS - 1) * part)] ?? 0).toFixed(0);
    console.info(
      `${LISTENERS} listeners heard after ${at(0.5)} ms (median), ${at(0.99)} ms (99 %), ${at(1)} ms`,
    );
    for (const stream of streams) stream.close();
  });

  it(`need no more memory after ${CALLS} calls and ${SESSIONS} sessions`, async () => {
    // Once to warm up: code that has run for the first time stays in memory too.
    await work(CALLS / 10, SESSIONS / 10);
    const before = await Promise.all(replicas.map(({ peer }) => heapInUse(peer)));
    await work(CALLS, SESSIONS);
    const after = await Promise.all(replicas.map(({ peer }) => heapInUse(peer)));
    const growth = after.map((bytes, index) => bytes / (before[index] ?? 1));
    console.info(
      `memory after ${CALLS} calls and ${SESSIONS} sessions: ${growth.map((one) => one.toFixed(2)).join(", ")}`,
    );
    expect(Math.max(...growth)).toBeLessThan(1.1);
  });

  /** Every session is opened at one replica, used at the next and ended at the third, where somebody still tries to use it. */
  async function work(calls: number, sessions: number): Promise<void> {
    await inBatches(calls, async (index) => {
      expect(await peerOf(index).call("echo", { text: `call ${index}` })).toBe(`call ${index}`);
    });
    await inBatches(sessions, async (index) => {
      const session = await peerOf(index).openSession();
      expect(await peerOf(index + 1).call("echo", { text: "moved" }, session)).toBe("moved");
      const use = (at: number): Promise<string> => peerOf(at).call("echo", { text: "late" }, session);
      const racing = use(index + 2).catch(() => "too late");
      await peerOf(index + 2).endSession(session);
      await racing;
      for (const at of [index + 1, index + 2]) await expect(use(at)).rejects.toThrow("no such session");
    });
  }
});

/** When a text first came. */
function arrivalOf(response: OpenStream["response"], text: string): Promise<number> {
  let heard = "";
  return new Promise((resolve, reject) => {
    response.setEncoding("utf8").on("data", (part: string) => {
      heard += part;
      if (heard.includes(text)) resolve(performance.now());
    });
    response.on("close", () => reject(new Error("A listener was cut off")));
  });
}

async function heapInUse(peer: HttpPeer): Promise<number> {
  return Number(await peer.call("memory", {}));
}
