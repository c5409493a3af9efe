import type { KitReplica } from "../contract/settings.ts";
import { codeOf } from "../../domain/errors/code-of.ts";
import { ExitError } from "../options/exit.ts";
import type { StoreMetrics } from "../telemetry/store-metrics.ts";
import type { StderrLog } from "../telemetry/stderr-log.ts";
import { readPackageName } from "./package-name.ts";

interface ReplicaOptions {
  readonly url: string;
  readonly password: string | undefined;
  /** The program's name: processes with the same name and the same Redis are replicas of each other. */
  readonly name: string;
  /** The program's file. */
  readonly script: string;
  readonly log: StderrLog;
  readonly metrics: StoreMetrics | undefined;
}

/** Makes this process one of several replicas. Succeeds even while the store is unreachable. */
export async function joinReplicas(options: ReplicaOptions): Promise<KitReplica> {
  const { url, password, name, log, metrics } = options;
  const { openRedisStore, Replica } = await load(options);
  const onStateChange = (isUp: boolean, reason?: Error): void =>
    isUp
      ? log.info("the store is back")
      : log.error(`the store cannot be reached: ${reason?.message ?? "no reason was given"}`);
  const store = await openRedisStore({
    url,
    ...(password !== undefined && { password }),
    prefix: `${name}:`,
    onStateChange,
    ...(metrics && { onOperation: (operation) => metrics.start(operation) }),
  });
  return new Replica(store);
}

/** An optional package: most servers run as one process. */
async function load({ name, script }: ReplicaOptions): Promise<typeof import("@suite/replicas")> {
  try {
    return await import("@suite/replicas");
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw thrown;
    const own = readPackageName(script);
    const byNpx = own === undefined ? "" : ` With npx: npx -p ${own} -p @suite/replicas ${name} …`;
    throw new ExitError(
      "unavailable",
      "--store needs @suite/replicas, which is not installed beside this server.",
      {
        hint: `Run npm install @suite/replicas where the server is installed.${byNpx}`,
        cause: thrown,
      },
    );
  }
}
