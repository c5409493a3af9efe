import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { HttpPeer } from "../../load/http-peer.ts";
import { inBatches } from "../../load/in-batches.ts";
import { readPort } from "../http/samples.ts";
import { type Measure, Samples } from "../measure/measure.ts";
import { readResidentMemory, ServerProcess } from "../measure/server-process.ts";
import { callRoundsOf } from "../measure/turns.ts";
import type { SuiteOptions } from "../suite.ts";

/** Has a tool that collects garbage, which would otherwise be most of what is measured. */
const SERVER = ["--expose-gc", fileURLToPath(new URL("../../load/server.js", import.meta.url))] as const;
/** The first ones also pay for code that runs for the first time. */
const BEFORE = 500;
const COUNT = 1500;

const STREAM = "a stream of 2026-07-28";
const SESSION_STREAM = "a session with its stream";
const IN_REDIS = "a session, in Redis";

/** What a replica needs for each client that listens, and Redis for each session. */
export async function measureMemory(redis: string, options: SuiteOptions): Promise<Measure> {
  const samples = new Samples([STREAM, SESSION_STREAM, IN_REDIS]);
  const listen = async (peer: HttpPeer): Promise<unknown> => peer.listen();
  const open = async (peer: HttpPeer): Promise<unknown> => peer.openSessionStream(await peer.openSession());
  const { signal, showProgress } = options;
  const rounds = callRoundsOf(options);
  for (let round = 1; round <= rounds; round += 1) {
    showProgress(`memory, round ${round} of ${rounds}`);
    samples.add(STREAM, await growthOf(redis, signal, listen));
    const before = memoryOfRedis(redis);
    samples.add(SESSION_STREAM, await growthOf(redis, signal, open));
    samples.add(IN_REDIS, (memoryOfRedis(redis) - before) / (BEFORE + COUNT) / 1024);
  }
  return samples.toMeasure({ title: "memory for each client, KiB", digits: 1, baseline: STREAM });
}

/** KiB of resident memory for one more of what is opened. */
async function growthOf(
  redis: string,
  signal: AbortSignal,
  open: (peer: HttpPeer) => Promise<unknown>,
): Promise<number> {
  const [flag, script] = SERVER;
  const server = new ServerProcess(flag, signal, [script, redis]);
  try {
    const peer = new HttpPeer(await readPort(server));
    const openMore = async (count: number): Promise<number> => {
      await Promise.race([inBatches(count, async () => void (await open(peer))), server.failed]);
      await peer.call("memory", {});
      return readResidentMemory(server.pid);
    };
    const before = await openMore(BEFORE);
    const growth = (((await openMore(COUNT)) - before) / COUNT) * 1024;
    peer.close();
    return growth;
  } finally {
    await server.stop();
  }
}

function memoryOfRedis(url: string): number {
  const text = execFileSync("redis-cli", ["-u", url, "info", "memory"], { encoding: "utf8" });
  return Number(/^used_memory:(\d+)/m.exec(text)?.[1]);
}
