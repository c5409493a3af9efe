import { Replica } from "@suite/core";
import { openRedisStore } from "@suite/replicas";

import type { StoreMetrics } from "../telemetry/store-metrics.ts";
import type { StderrLog } from "../telemetry/stderr-log.ts";

interface ReplicaOptions {
  readonly url: string;
  readonly password: string | undefined;
  /** The program's name: processes with the same name and the same Redis are replicas of each other. */
  readonly name: string;
  readonly log: StderrLog;
  readonly metrics: StoreMetrics | undefined;
}

/** Makes this process one of several replicas. Succeeds even while the store is unreachable. */
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
