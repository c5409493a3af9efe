import { HttpWire, isOf, type Message } from "@suite/check/wires";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

import { HttpProgram } from "../http/http-program.ts";
import { errorOf } from "../support/calls.ts";
import { INITIALIZE, post } from "../run/messages.ts";
import { describeWith } from "../support/programs.ts";
import { SQLITE } from "../support/servers.ts";
import { startRedis, type RedisServer } from "./redis-server.ts";
import { TeamDatabases } from "./team-databases.ts";

const WATCHED = "sqlite://watched/table/latest";
const AWAY = { code: "unavailable", retryable: true, retryAfterMs: 1000 };

describeWith(["redis-server"], "a Redis that hangs", () => {
  let redis: RedisServer;
  let databases: TeamDatabases;
  let one: HttpProgram;
  let other: HttpProgram;

  beforeAll(async () => {
    redis = await startRedis();
    databases = new TeamDatabases();
    [one, other] = await Promise.all([start(), start()]);
  });

  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await redis.stop();
  });

  const start = (): Promise<HttpProgram> =>
    HttpProgram.start([...databases.files, "--store", redis.url], SQLITE);

  const read = async (wire: HttpWire): Promise<Message> =>
    wire.callTool("read_query", { database: "calls", query: "SELECT count(*) FROM calls" });

  /** Nobody wakes Redis before all of this is answered. */
  it("keeps nobody waiting who needs nothing of it, nor the others for long, and is not missed for ever", async () => {
    const modern = await HttpWire.open(one.url.href, "2026-07-28");
    const session = await HttpWire.open(one.url.href, "2025-11-25");
    const notifications = { resourceSubscriptions: [WATCHED] };
    const listening = await modern.at(other.url.href).send("subscriptions/listen", { notifications });
    await listening.hear(isOf("notifications/subscriptions/acknowledged"));
    const write = async (): Promise<Message> =>
      modern.callTool(
        "write_query",
        { database: "calls", query: "INSERT INTO calls (key) VALUES ('once')" },
        { meta: { "dev.suite/idempotencyKey": "once" } },
      );
    redis.hang();
    onTestFinished(() => redis.wake());
    for (const wire of [modern, session]) expect(await read(wire)).toHaveProperty("result");
    expect(errorOf(await write())).toMatchObject(AWAY);
    const moved = await session.at(other.url.href).send("ping");
    expect([moved.status, moved.headers["retry-after"]]).toEqual([503, "1"]);
    const opened = await post(one.url.href, INITIALIZE);
    expect([opened.status, opened.headers.get("retry-after")]).toEqual([503, "1"]);
    const change = { database: "watched", query: "UPDATE latest SET number = 1" };
    expect(await modern.callTool("write_query", change)).toHaveProperty("result.structuredContent");
    expect(listening.messages.some(isOf("notifications/resources/updated"))).toBe(false);

    redis.wake();
    expect((await listening.hear(isOf("notifications/resources/updated"))).params).toMatchObject({
      uri: WATCHED,
    });
    await expect.poll(write).toHaveProperty("result.structuredContent");
    expect(databases.countCalls().get("once")).toBe(1);
    const goOn = async (): Promise<number> => (await session.at(other.url.href).send("ping")).status;
    await expect.poll(goOn).toBe(200);
  });
});
