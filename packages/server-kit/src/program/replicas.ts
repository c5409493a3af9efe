import { Replica } from "@suite/core";
import { openRedisStore } from "@suite/redis";

import type { StoreMetrics } from "../telemetry/store-metrics.ts";
import type { StderrLog } from "./stderr-log.ts";

interface ReplicaOptions {
  readonly url: string;
  readonly password: string | undefined;
  /** Of the program: its replicas are those with the same name in the same Redis. */
  readonly name: string;
  readonly log: StderrLog;
  readonly metrics: StoreMetrics | undefined;
}

/** Makes this process one of several. It starts even while the store is away. */
export async function joinReplicas(options: ReplicaOptions): Promise<Replica> {
  const { url, password, name, log, metrics } = options;
  const onStateChange = (isThere: boolean, reason?: Error): void =>
    isThere
      ? log.info("the store is back")
      : log.error(`the store cannot be reached: ${reason?.message ?? "no reason was given"}`);
  const store = await openRedisStore({
    url,
    ...(password !== undefined && { password }),
    prefix: `${name}:`,
    onStateChange,
  });
  return new Replica(metrics?.watch(store) ?? store);
}
