import { until } from "@suite/check/wires";

import { Child } from "../support/child.ts";
import { freePort } from "../support/free-port.ts";
import { answering } from "./answering.ts";
import { type CuttingProxy, startCuttingProxy } from "./cutting-proxy.ts";
import { type Proxy, startNginx } from "./nginx.ts";
import { type RedisServer, startRedis } from "./redis-server.ts";

const NOTHING = (): void => undefined;

interface Program {
  readonly command: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** What serves at a port, with what it shares at a URL. */
export type ToProgram = (port: number, store: string) => Program;

/** One process, always on the same port. */
class ReplicaProcess {
  readonly #program: Program;
  readonly #url: string;
  #child: Child | undefined;

  constructor(port: number, program: Program) {
    this.#program = program;
    this.#url = `http://127.0.0.1:${port}`;
  }

  /** Past nginx. */
  get url(): string {
    return `${this.#url}/mcp`;
  }

  async start(): Promise<void> {
    const { command, env = {} } = this.#program;
    this.#child = new Child(command, env, { line: NOTHING, ended: NOTHING });
    await answering(`${this.#url}/healthz`);
  }

  /** The figures of a series, of the process that runs now. */
  async metric(series: string): Promise<number> {
    const url = await until(() => /metrics at (\S+)/.exec(this.#child?.stderr ?? "")?.[1], "Metrics");
    const text = await (await fetch(url)).text();
    const line = text.split("\n").find((one) => one.startsWith(`${series} `));
    return Number(line?.slice(series.length) ?? 0);
  }

  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    this.#child?.kill(signal);
    await this.#child?.exited;
  }
}

/** Replicas of a server, one Redis, and nginx before them. */
export class Cluster {
  readonly replicas: readonly ReplicaProcess[];
  readonly redis: RedisServer;
  /** Between the replicas and Redis. */
  readonly network: CuttingProxy;
  readonly url: string;
  readonly #proxy: Proxy;

  private constructor(
    replicas: readonly ReplicaProcess[],
    redis: RedisServer,
    network: CuttingProxy,
    proxy: Proxy,
  ) {
    this.replicas = replicas;
    this.redis = redis;
    this.network = network;
    this.#proxy = proxy;
    this.url = proxy.url;
  }

  static async start(count: number, toProgram: ToProgram): Promise<Cluster> {
    const redis = await startRedis();
    const network = await startCuttingProxy(Number(new URL(redis.url).port));
    const ports: number[] = [];
    for (let index = 0; index < count; index += 1) ports.push(await freePort());
    const replicas = ports.map((port) => new ReplicaProcess(port, toProgram(port, network.url)));
    await Promise.all(replicas.map((replica) => replica.start()));
    return new Cluster(replicas, redis, network, await startNginx(ports));
  }

  async stop(): Promise<void> {
    await this.#proxy.stop();
    await Promise.all(this.replicas.map((replica) => replica.end("SIGKILL")));
    await this.network.stop();
    await this.redis.stop();
  }
}
