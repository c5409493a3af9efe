import { HttpWire, isOf, isResponse } from "@suite/check/wires";
import { afterAll, beforeAll, expect, it } from "vitest";

import { startFixture, type FixtureProcess } from "../conformance/fixture-process.ts";
import { describeWith } from "../support/programs.ts";
import { startRedis, type RedisServer } from "./redis-server.ts";

const FIXTURE = new URL("../dist/conformance/fixture/main.js", import.meta.url);
const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const LONG = { seconds: 600 };
const NOBODY_KNOWS = expect.stringContaining("how far it got is unknown");

describeWith(["redis-server"], "work whose replica was killed", () => {
  let redis: RedisServer;
  let owner: FixtureProcess;
  let other: FixtureProcess;

  beforeAll(async () => {
    redis = await startRedis();
    [owner, other] = await Promise.all([startFixture(FIXTURE, redis.url), startFixture(FIXTURE, redis.url)]);
  });

  afterAll(async () => {
    await Promise.all([owner.kill(), other.stop()]);
    await redis.stop();
  });

  it("ends with an error at the other one, for a stream, a task and its listeners", async () => {
    const legacy = await HttpWire.open(owner.url, "2025-11-25");
    const begun = await legacy.sendTool("slow_compute", LONG, { id: "call" });
    await begun.ended;
    const lastEventId = begun.events.at(-1)?.id;
    const modern = (await HttpWire.open(owner.url, "2026-07-28", TASKS)).at(other.url);
    const handle = await modern.at(owner.url).callTool("slow_compute", LONG);
    const taskId = handle.result?.["taskId"];
    const listening = await modern.send("subscriptions/listen", { notifications: { taskIds: [taskId] } });
    await listening.hear(isOf("notifications/subscriptions/acknowledged"));
    const look = async (): Promise<unknown> => (await modern.request("tasks/get", { taskId })).result;
    expect(await look()).toMatchObject({ status: "working" });

    await owner.kill();
    const resumed = await legacy.at(other.url).get(lastEventId);
    expect(resumed.status).toBe(200);
    const lost = { status: "failed", error: { message: NOBODY_KNOWS } };
    await expect.poll(look).toMatchObject(lost);
    await expect.poll(() => resumed.messages.some(isResponse)).toBe(true);
    expect(resumed.messages).toMatchObject([{ id: "call", error: { message: NOBODY_KNOWS } }]);
    expect(await resumed.ended).toBe(true);
    expect((await listening.hear(isOf("notifications/tasks"))).params).toMatchObject(lost);
  });
});
