import { HttpWire, isOf } from "@suite/check/wires";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

import { HttpProgram } from "../http/http-program.ts";
import { describeWith } from "../support/programs.ts";
import { HTTP_FIXTURE } from "../support/servers.ts";
import { startCuttingProxy, type CuttingProxy } from "./cutting-proxy.ts";
import { startRedis, type RedisServer } from "./redis-server.ts";

const LOOKED_AT = "demo:///counter";
const UPDATED = isOf("notifications/resources/updated");

/** With the `notify` of a call, and with the server's own methods. */
const ANNOUNCED = [
  {
    tool: "touch",
    args: { uri: "demo:///text" },
    text: '"kind":"resource"',
    wanted: { resourceSubscriptions: ["demo:///text"] },
    news: UPDATED,
    params: { uri: "demo:///text" },
  },
  {
    tool: "add_resource",
    args: {},
    text: '"list":"resources"',
    wanted: { resourcesListChanged: true },
    news: isOf("notifications/resources/list_changed"),
    params: {},
  },
];

describeWith(["redis-server"], "a change while a replica is killed", () => {
  let redis: RedisServer;
  /** Leads to Redis, for those that die. */
  let network: CuttingProxy;
  let going: HttpProgram;
  let dying: HttpProgram;

  beforeAll(async () => {
    redis = await startRedis();
    network = await startCuttingProxy(Number(new URL(redis.url).port));
    going = await start(redis.url);
  });

  afterAll(async () => {
    await going.stop();
    await network.stop();
    await redis.stop();
  });

  const start = (store: string): Promise<HttpProgram> =>
    HttpProgram.start([JSON.stringify({ store })], HTTP_FIXTURE);

  const startDying = async (): Promise<void> => {
    dying = await start(network.url);
    onTestFinished(() => dying.stop());
  };

  it("is told to whoever resumes their stream, though nobody looked when it happened", async () => {
    await startDying();
    const session = await HttpWire.open(dying.url.href, "2025-11-25");
    await session.request("resources/subscribe", { uri: LOOKED_AT });
    const stream = await session.get();
    await session.callTool("count");
    await stream.hear(UPDATED);
    const lastEventId = stream.events.at(-1)?.id;
    await dying.stop();
    await (await HttpWire.open(going.url.href, "2026-07-28")).callTool("count");
    const resumed = await session.at(going.url.href).get(lastEventId);
    expect((await resumed.hear(UPDATED)).params).toEqual({ uri: LOOKED_AT });
  });

  it.each(ANNOUNCED)("is acknowledged only once all others can hear of it: $tool", async (change) => {
    await startDying();
    const listening = await (
      await HttpWire.open(going.url.href, "2026-07-28")
    ).send("subscriptions/listen", { notifications: change.wanted });
    await listening.hear(isOf("notifications/subscriptions/acknowledged"));
    const isStored = network.loseAnswerTo(change.text);
    const wire = await HttpWire.open(dying.url.href, "2026-07-28");
    const acknowledged = wire.callTool(change.tool, change.args).then(
      () => "answered",
      () => "nobody answered",
    );
    await isStored;
    await dying.stop();
    expect(await acknowledged).toBe("nobody answered");
    expect((await listening.hear(change.news)).params).toMatchObject(change.params);
  });
});
