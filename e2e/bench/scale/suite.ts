import { fileURLToPath } from "node:url";

import { openRedisStore } from "@suite/redis";

import { startNginx } from "../../scale/nginx.ts";
import { startRedis } from "../../scale/redis-server.ts";
import type { Era } from "@suite/core";
import { readPort, sampleCallsAt, type HttpCounts, type HttpSample } from "../http/samples.ts";
import { sampleInTurns } from "../measure/interleave.ts";
import { formatMeasure, type Measure, Samples, toPlainMeasure } from "../measure/measure.ts";
import { ServerProcess } from "../measure/server-process.ts";
import { type BenchTarget, formatTargets, toPlainTarget } from "../measure/target.ts";
import type { SuiteOptions, SuiteReport } from "../suite.ts";
import { measureCrossing, MODERN_LISTENER } from "./crossing.ts";
import { measureMemory, STREAM } from "./memory.ts";
import { CONTROL, measureStoreCost, NO_STORE, REDIS } from "./store-cost.ts";

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

const ROUNDS_PER_CALL_ROUND = 4;
const STORE_ROUNDS = 500;

/** Replicas behind nginx with and without Redis, on calls that share nothing; what the store itself takes, and each client. */
export async function runScaleSuite(options: SuiteOptions): Promise<SuiteReport> {
  const redis = await startRedis();
  const rounds = Math.ceil(options.rounds / ROUNDS_PER_CALL_ROUND);
  try {
    const calls = await measureCalls(redis.url, rounds, options);
    const stateless = await measureStoreCost(redis.url, "modern", options);
    const session = await measureStoreCost(redis.url, "legacy", options);
    const store = await measureStore(redis.url, options);
    const crossing = await measureCrossing(redis.url, options);
    const memory = await measureMemory(redis.url, options, rounds);
    const costs = [stateless, session];
    const targets = toTargets(stateless.times, session.times, crossing);
    return {
      text: [
        ...calls.map((measure) => formatMeasure(measure, ALONE)),
        ...costs.flatMap(({ time, times }) => [formatMeasure(time, NO_STORE), formatMeasure(times, CONTROL)]),
        formatMeasure(store, "append"),
        formatMeasure(crossing, MODERN_LISTENER),
        formatMeasure(memory, STREAM),
        formatTargets(targets),
      ].join("\n\n"),
      data: {
        measures: [
          ...calls,
          ...costs.flatMap(({ time, times }) => [time, times]),
          store,
          crossing,
          memory,
        ].map(toPlainMeasure),
        targets: targets.map(toPlainTarget),
      },
    };
  } finally {
    await redis.stop();
  }
}

async function measureCalls(
  redis: string,
  rounds: number,
  { quick, signal, showProgress }: SuiteOptions,
): Promise<Measure[]> {
  const toSamples = (): Samples => new Samples(CONTENDERS.map(({ name }) => name));
  const [rate, median, slowest] = [toSamples(), toSamples(), toSamples()];
  const turns = sampleInTurns(CONTENDERS, rounds, async (contender, round) => {
    showProgress(`calls, round ${round} of ${rounds}: ${contender.name}`);
    const counts = contender.counts ?? (quick ? QUICK : FULL);
    return { name: contender.name, ...(await sample(contender, redis, counts, signal)) };
  });
  for await (const one of turns) {
    const sorted = one.latencies.toSorted((a, b) => a - b);
    rate.add(one.name, one.rate);
    median.add(one.name, sorted[Math.floor(sorted.length / 2)] ?? Number.NaN);
    slowest.add(one.name, sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN);
  }
  return [
    rate.toMeasure("echo over 16 connections, calls/s", 0),
    median.toMeasure("median of a call, ms", 2),
    slowest.toMeasure("99 of 100 calls take at most, ms", 2),
  ];
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
  return samples.toMeasure("the store, ms", 2);
}

/** The processor's time, not the rate: what else the machine does must not decide. */
function toTargets(stateless: Measure, session: Measure, crossing: Measure): BenchTarget[] {
  const medianOf = (measure: Measure, name: string): number =>
    measure.summaries.get(name)?.median ?? Number.NaN;
  const wanted = { atMost: 1.05 };
  return [
    { what: "time of a call with a store it does not need", measured: medianOf(stateless, REDIS), wanted },
    { what: "the same in a session", measured: medianOf(session, REDIS), wanted },
    {
      what: "a change at one replica, heard of at another",
      measured: medianOf(crossing, MODERN_LISTENER),
      unit: " ms",
      wanted: { atMost: 20 },
    },
  ];
}
