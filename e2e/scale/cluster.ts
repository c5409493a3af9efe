import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import Database from "better-sqlite3";

import { SQLITE } from "../support/servers.ts";
import { Child } from "../support/child.ts";
import { answering } from "./answering.ts";
import { type CuttingProxy, startCuttingProxy } from "./cutting-proxy.ts";
import { freePort } from "../support/free-port.ts";
import { until } from "../support/processes.ts";
import { type Proxy, startNginx } from "./nginx.ts";
import { type RedisServer, startRedis } from "./redis-server.ts";

const NOTHING = (): void => undefined;

/** One process of the SQLite server, always on the same port. */
class ReplicaProcess {
  readonly #command: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #url: string;
  #child: Child | undefined;

  constructor(port: number, file: string, store: string, env: NodeJS.ProcessEnv) {
    const http = ["--http", String(port), "--grace", "5s", "--metrics", "0"];
    this.#command = [...SQLITE, file, "--store", store, ...http];
    this.#env = { SUITE_REQUEST_STATE_SECRET: "one for all", ...env };
    this.#url = `http://127.0.0.1:${port}/healthz`;
  }

  async start(): Promise<void> {
    this.#child = new Child(this.#command, this.#env, { line: NOTHING, ended: NOTHING });
    await answering(this.#url);
  }

  /** The figures of a series, of the process that runs now. */
  async metric(series: string): Promise<number> {
    const urlOf = (): string | undefined => /metrics at (\S+)/.exec(this.#child?.stderr ?? "")?.[1];
    await until(() => urlOf() !== undefined, "Metrics");
    const text = await (await fetch(urlOf() ?? "")).text();
    const line = text.split("\n").find((one) => one.startsWith(`${series} `));
    return Number(line?.slice(series.length) ?? 0);
  }

  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    this.#child?.kill(signal);
    await this.#child?.exited;
  }
}

/** Replicas of the SQLite server on one database, one Redis, and nginx before them. */
export class Cluster {
  readonly replicas: readonly ReplicaProcess[];
  readonly redis: RedisServer;
  /** Between the replicas and Redis. */
  readonly network: CuttingProxy;
  readonly url: string;
  readonly #proxy: Proxy;
  readonly #folder: string;
  readonly #file: string;

  private constructor(
    replicas: readonly ReplicaProcess[],
    redis: RedisServer,
    network: CuttingProxy,
    proxy: Proxy,
    folder: string,
    file: string,
  ) {
    this.replicas = replicas;
    this.redis = redis;
    this.network = network;
    this.#proxy = proxy;
    this.url = proxy.url;
    this.#folder = folder;
    this.#file = file;
  }

  static async start(count: number, env: NodeJS.ProcessEnv = {}): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), "suite-cluster-"));
    const file = join(folder, "calls.db");
    const database = new Database(file);
    database.pragma("journal_mode = WAL");
    database.exec("CREATE TABLE calls (key TEXT NOT NULL)");
    database.close();
    const redis = await startRedis();
    const network = await startCuttingProxy(Number(new URL(redis.url).port));
    const ports: number[] = [];
    for (let index = 0; index < count; index += 1) ports.push(await freePort());
    const replicas = ports.map((port) => new ReplicaProcess(port, file, network.url, env));
    await Promise.all(replicas.map((replica) => replica.start()));
    return new Cluster(replicas, redis, network, await startNginx(ports), folder, file);
  }

  /** How often each call really happened. */
  countCalls(): ReadonlyMap<string, number> {
    const database = new Database(this.#file, { readonly: true });
    const rows = database.prepare("SELECT key, count(*) AS times FROM calls GROUP BY key").all();
    database.close();
    return new Map((rows as { key: string; times: number }[]).map(({ key, times }) => [key, times]));
  }

  async stop(): Promise<void> {
    await this.#proxy.stop();
    await Promise.all(this.replicas.map((replica) => replica.end("SIGKILL")));
    await this.network.stop();
    await this.redis.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
