import { fileURLToPath } from "node:url";

import { openRedisStore } from "@suite/redis";

import { startNginx } from "../../scale/nginx.ts";
import { startRedis } from "../../scale/redis-server.ts";
import { readPort, sampleCallsAt, type HttpCounts } from "../http/samples.ts";
import { sampleInTurns } from "../measure/interleave.ts";
import { formatMeasure, type Measure, Samples, toPlainMeasure } from "../measure/measure.ts";
import { ServerProcess } from "../measure/server-process.ts";
import { formatTargets, type Target, toPlainTarget } from "../measure/target.ts";
import type { SuiteOptions, SuiteReport } from "../suite.ts";

const ALONE = "one process";
const ALONE_STORED = "one process, Redis";

interface Contender {
  readonly name: string;
  readonly server: string;
  readonly replicas: number;
  readonly isStored: boolean;
}

const CONTENDERS: readonly Contender[] = [
  { name: "SDK v2, one process", server: "../http/servers/sdk-v2.js", replicas: 1, isStored: false },
  { name: ALONE, server: "servers/replica.js", replicas: 1, isStored: false },
  { name: ALONE_STORED, server: "servers/replica.js", replicas: 1, isStored: true },
  { name: "two replicas, nginx", server: "servers/replica.js", replicas: 2, isStored: false },
  { name: "two replicas, nginx, Redis", server: "servers/replica.js", replicas: 2, isStored: true },
];

const FULL: HttpCounts = { warmUp: 3000, calls: 5000 };
const QUICK: HttpCounts = { warmUp: 300, calls: 1000 };
const ROUNDS_PER_CALL_ROUND = 4;
const STORE_ROUNDS = 500;

/** Replicas behind nginx with and without Redis, on calls that share nothing; and what the store itself takes. */
export async function runScaleSuite(options: SuiteOptions): Promise<SuiteReport> {
  const redis = await startRedis();
  try {
    const calls = await measureCalls(redis.url, options);
    const store = await measureStore(redis.url, options);
    const targets = toTargets(calls, store);
    return {
      text: [formatMeasure(calls, ALONE), formatMeasure(store, "append"), formatTargets(targets)].join(
        "\n\n",
      ),
      data: { measures: [calls, store].map(toPlainMeasure), targets: targets.map(toPlainTarget) },
    };
  } finally {
    await redis.stop();
  }
}

async function measureCalls(redis: string, options: SuiteOptions): Promise<Measure> {
  const { rounds, quick, signal, showProgress } = options;
  const callRounds = Math.ceil(rounds / ROUNDS_PER_CALL_ROUND);
  const samples = new Samples(CONTENDERS.map(({ name }) => name));
  const turns = sampleInTurns(CONTENDERS, callRounds, async (contender, round) => {
    showProgress(`calls, round ${round} of ${callRounds}: ${contender.name}`);
    return { name: contender.name, rate: await sample(contender, redis, quick ? QUICK : FULL, signal) };
  });
  for await (const { name, rate } of turns) samples.add(name, rate);
  return samples.toMeasure("echo over 16 connections, stateless, calls/s", 0);
}

async function sample(
  { server, replicas, isStored }: Contender,
  redis: string,
  counts: HttpCounts,
  signal: AbortSignal,
): Promise<number> {
  const script = fileURLToPath(new URL(server, import.meta.url));
  const args = isStored ? [redis] : [];
  const processes = Array.from({ length: replicas }, () => new ServerProcess(script, signal, args));
  const failed = Promise.race(processes.map((one) => one.failed));
  const ports = await Promise.all(processes.map(readPort));
  const proxy = replicas > 1 ? await startNginx(ports) : undefined;
  try {
    const port = proxy ? Number(new URL(proxy.url).port) : (ports[0] ?? 0);
    return await sampleCallsAt(port, failed, "modern", counts);
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
    await timed("append", () => one.append("log", "x".repeat(200), { most: 1000 }));
    await timed("news of another replica", () => {
      const heard = new Promise<void>((resolve) => (hear = resolve));
      return Promise.all([one.append("news", "x".repeat(200), { most: 1000 }), heard]);
    });
  }
  stop();
  await Promise.all([one.close(), other.close()]);
  return samples.toMeasure("the store, ms", 2);
}

function toTargets(calls: Measure, store: Measure): Target[] {
  const alone = calls.summaries.get(ALONE)?.median ?? Number.NaN;
  const stored = calls.summaries.get(ALONE_STORED)?.median ?? Number.NaN;
  const news = store.summaries.get("news of another replica")?.median ?? Number.NaN;
  return [
    { what: "calls/s with a store they do not need", measured: stored / alone, wanted: { atLeast: 0.95 } },
    { what: "news of another replica", measured: news, unit: " ms", wanted: { atMost: 20 } },
  ];
}
