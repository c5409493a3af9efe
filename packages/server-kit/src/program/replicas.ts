import { Replica } from "@suite/core";
import { openRedisStore } from "@suite/redis";

import type { StderrLog } from "./stderr-log.ts";

interface ReplicaOptions {
  readonly url: string;
  readonly password: string | undefined;
  /** Of the program: its replicas are those with the same name in the same Redis. */
  readonly name: string;
  readonly log: StderrLog;
}

/** Makes this process one of several. It starts even while the store is away. */
export async function joinReplicas({ url, password, name, log }: ReplicaOptions): Promise<Replica> {
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
  return new Replica(store);
}
