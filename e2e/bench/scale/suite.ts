import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { openRedisStore } from "@suite/replicas";

import { startNginx } from "../../scale/nginx.ts";
import { startRedis } from "../../scale/redis-server.ts";
import type { Era } from "@suite/core";
import { readPort, sampleCallsAt, type HttpCounts, type HttpSample } from "../http/samples.ts";
import { type Measure, Samples, toReport } from "../measure/measure.ts";
import { ServerProcess } from "../measure/server-process.ts";
import { callRoundsOf, measureInTurns } from "../measure/turns.ts";
import { BenchFailure, type SuiteOptions } from "../suite.ts";
import { measureMemory } from "./memory.ts";
import { measureStoreCost } from "./store-cost.ts";

const ALONE = "one process";

interface ScaleContender {
  readonly name: string;
  readonly server: string;
  readonly era: Era;
  readonly replicas: number;
  readonly isStored: boolean;
  /** Fewer than others, for a reason. */
  readonly counts?: HttpCounts;
}

const OURS = { server: "servers/replica.js", era: "modern", replicas: 1, isStored: false } as const;

const FULL: HttpCounts = { warmUp: 4000, calls: 5000 };
const QUICK: HttpCounts = { warmUp: 1000, calls: 2000 };
/** nginx closes a connection after 1,000 requests. */
const PROXIED: HttpCounts = { warmUp: 3000, calls: 5000 };

const CONTENDERS: readonly ScaleContender[] = [
  { ...OURS, name: "SDK v2, one process", server: "../http/servers/sdk-v2.js", counts: QUICK },
  { ...OURS, name: ALONE },
  { ...OURS, name: "one process, Redis", isStored: true },
  { ...OURS, name: "one process, in a session", era: "legacy" },
  { ...OURS, name: "one process, in a session, Redis", era: "legacy", isStored: true },
  { ...OURS, name: "two replicas, nginx", replicas: 2, counts: PROXIED },
  { ...OURS, name: "two replicas, nginx, Redis", replicas: 2, isStored: true, counts: PROXIED },
];

const STORE_ROUNDS = 500;

/** Replicas behind nginx with and without Redis, on calls that share nothing; what the store itself takes, and each client. */
export async function run(options: SuiteOptions): Promise<string> {
  for (const program of ["redis-server", "nginx"])
    if (spawnSync(program, ["-v"]).error) throw new BenchFailure(`${program} is not on the PATH`);
  const redis = await startRedis();
  try {
    const calls = await measureCalls(redis.url, options);
    const stateless = await measureStoreCost(redis.url, "modern", options);
    const session = await measureStoreCost(redis.url, "legacy", options);
    const store = await measureStore(redis.url, options);
    const memory = await measureMemory(redis.url, options);
    return toReport([...calls, ...stateless, ...session, store, memory]);
  } finally {
    await redis.stop();
  }
}

function measureCalls(redis: string, options: SuiteOptions): Promise<readonly Measure[]> {
  return measureInTurns(
    [
      { title: "echo over 16 connections, calls/s", digits: 0, baseline: ALONE },
      { title: "median of a call, ms", digits: 2, baseline: ALONE },
      { title: "99 of 100 calls take at most, ms", digits: 2, baseline: ALONE },
    ],
    CONTENDERS,
    { ...options, rounds: callRoundsOf(options), what: "calls" },
    async (contender) => {
      const counts = contender.counts ?? (options.quick ? QUICK : FULL);
      const { rate, latencies } = await sample(contender, redis, counts, options.signal);
      const sorted = latencies.toSorted((a, b) => a - b);
      return [rate, sorted[Math.floor(sorted.length / 2)], sorted[Math.floor(sorted.length * 0.99)]];
    },
  );
}

async function sample(
  { server, era, replicas, isStored }: ScaleContender,
  redis: string,
  counts: HttpCounts,
  signal: AbortSignal,
): Promise<HttpSample> {
  const script = fileURLToPath(new URL(server, import.meta.url));
  const args = isStored ? [redis] : [];
  const processes = Array.from({ length: replicas }, () => new ServerProcess(script, signal, args));
  const failed = Promise.race(processes.map((one) => one.failed));
  const ports = await Promise.all(processes.map(readPort));
  const proxy = replicas > 1 ? await startNginx(ports) : undefined;
  try {
    const port = proxy ? Number(new URL(proxy.url).port) : (ports[0] ?? 0);
    return await sampleCallsAt(port, failed, era, counts);
  } finally {
    await proxy?.stop();
    await Promise.all(processes.map((one) => one.stop()));
  }
}

/** In milliseconds: one after the other, with Redis on the same machine and every write on its disk. */
async function measureStore(url: string, { showProgress }: SuiteOptions): Promise<Measure> {
  showProgress("the store");
  const [one, other] = await Promise.all([0, 1].map(() => openRedisStore({ url, prefix: "bench:" })));
  const samples = new Samples(["get", "set", "append", "news of another replica"]);
  if (!one || !other) throw new Error("There is no store");
  const timed = async (name: string, work: () => unknown): Promise<void> => {
    const beganAt = performance.now();
    await work();
    samples.add(name, performance.now() - beganAt);
  };
  let hear: () => void = () => undefined;
  const stop = other.follow("news", 0, () => hear());
  for (let round = 0; round < STORE_ROUNDS; round += 1) {
    await timed("set", () => one.set("value", "x".repeat(200), { ttlMs: 60_000 }));
    await timed("get", () => one.get("value"));
    await timed("append", () => one.append("log", "x".repeat(200), { most: 1000, ttlMs: 600_000 }));
    await timed("news of another replica", () => {
      const heard = new Promise<void>((resolve) => (hear = resolve));
      return Promise.all([one.append("news", "x".repeat(200), { most: 1000, ttlMs: 600_000 }), heard]);
    });
  }
  stop();
  await Promise.all([one.close(), other.close()]);
  return samples.toMeasure({ title: "the store, ms", digits: 2, baseline: "append" });
}
