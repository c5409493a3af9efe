import { execFileSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";

import { HttpWire } from "@suite/check/wires";
import { afterAll, beforeAll, expect, it } from "vitest";

import { HttpProgram } from "../http/http-program.ts";
import { describeWith } from "../support/programs.ts";
import { HTTP_FIXTURE } from "../support/servers.ts";
import { startRedis, type RedisServer } from "./redis-server.ts";

/** Commands that Redis runs for one subscription, those of its scripts included. */
const MOST_PER_SUBSCRIPTION = 20;
/** A replica gives up a connection to Redis after 3 s without an answer; its client would give up a command after 5 s. */
const LONGER_THAN_SILENCE_MS = 5500;

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly uri: string };
}

async function sayAll(wire: HttpWire, requests: readonly Request[]): Promise<readonly object[]> {
  const answer = await wire.say(requests);
  await answer.ended;
  return answer.messages.flat();
}

const sayEach = (
  wire: HttpWire,
  urls: readonly string[],
  requests: readonly Request[],
): Promise<readonly object[]> =>
  Promise.all(
    requests.map(({ method, params, id }, index) =>
      wire.at(urls[index % urls.length] ?? "").request(method, params, { id }),
    ),
  );

describeWith(["redis-server", "redis-cli"], "subscriptions of one session", () => {
  let redis: RedisServer;
  let replicas: readonly HttpProgram[];

  beforeAll(async () => {
    redis = await startRedis();
    const start = (): Promise<HttpProgram> =>
      HttpProgram.start([JSON.stringify({ store: redis.url })], HTTP_FIXTURE);
    replicas = await Promise.all([start(), start()]);
  });

  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await redis.stop();
  });

  /** All but what every process says and asks all the time. */
  function countCommands(): number {
    const text = execFileSync("redis-cli", ["-u", redis.url, "info", "commandstats"], { encoding: "utf8" });
    const all = [...text.matchAll(/^cmdstat_(\S+):calls=(\d+)/gm)];
    return all.reduce(
      (sum, [, name = "", calls]) => (/^(ping|set|info)/.test(name) ? sum : sum + Number(calls)),
      0,
    );
  }

  it.each([
    ["each by itself, at two replicas", "2025-11-25", 100],
    ["all in one message", "2025-03-26", 400],
  ] as const)("cost as many commands as there are: %s", async (_how, revision, count) => {
    const urls = replicas.map(({ url }) => url.href);
    const wire = await HttpWire.open(urls[0] ?? "", revision);
    const requests = Array.from({ length: count }, (_, id) => ({
      jsonrpc: "2.0",
      id: id + 10,
      method: "resources/subscribe",
      params: { uri: `demo:///cities/fr/${id}` },
    }));
    const before = countCommands();
    const answers = await (revision === "2025-03-26"
      ? sayAll(wire, requests)
      : sayEach(wire, urls, requests));
    expect(answers.filter((answer) => !("result" in answer))).toEqual([]);
    expect(answers).toHaveLength(count);
    expect(countCommands() - before).toBeLessThan(count * MOST_PER_SUBSCRIPTION);
    // A replica that continues the session knows them all.
    const other = wire.at(urls[1] ?? "");
    const stream = await other.get();
    const { uri = "" } = requests.at(-1)?.params ?? {};
    await other.callTool("touch", { uri });
    await stream.hear((message) => JSON.stringify(message).includes(`"${uri}"`));
    stream.drop();
  });

  it("are all answered by a replica that was stopped meanwhile: its own silence is not that of Redis", async () => {
    const [replica] = replicas;
    const wire = await HttpWire.open(replica?.url.href ?? "", "2025-11-25");
    const subscribe = (number: number): Promise<object> =>
      wire.request("resources/subscribe", { uri: `demo:///cities/fr/${number}` });
    const first = subscribe(0);
    const others = Array.from({ length: 99 }, (_, number) => subscribe(number + 1));
    await first;
    process.kill(replica?.pid ?? 0, "SIGSTOP");
    await pause(LONGER_THAN_SILENCE_MS);
    process.kill(replica?.pid ?? 0, "SIGCONT");
    const answers = await Promise.all(others);
    expect(answers.filter((answer) => !("result" in answer))).toEqual([]);
  });
});
