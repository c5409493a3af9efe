import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

import { HttpProgram } from "../http/http-program.ts";
import { HttpWire } from "../http/http-wire.ts";
import { isOf } from "../support/message.ts";
import { describeWith } from "../support/programs.ts";
import { HTTP_FIXTURE } from "../support/servers.ts";
import { startCuttingProxy, type CuttingProxy } from "./cutting-proxy.ts";
import { startRedis, type RedisServer } from "./redis-server.ts";

const LOOKED_AT = "demo:///counter";
const ANNOUNCED = "demo:///text";
const UPDATED = isOf("notifications/resources/updated");

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

  it("is acknowledged only once all others can hear of it", async () => {
    await startDying();
    const listening = await (
      await HttpWire.open(going.url.href, "2026-07-28")
    ).send("subscriptions/listen", { notifications: { resourceSubscriptions: [ANNOUNCED] } });
    await listening.hear(isOf("notifications/subscriptions/acknowledged"));
    const isStored = network.loseAnswerTo('"kind":"resource"');
    const wire = await HttpWire.open(dying.url.href, "2026-07-28");
    const acknowledged = wire.callTool("touch", { uri: ANNOUNCED }).then(
      () => "answered",
      () => "nobody answered",
    );
    await isStored;
    await dying.stop();
    expect(await acknowledged).toBe("nobody answered");
    expect((await listening.hear(UPDATED)).params).toMatchObject({ uri: ANNOUNCED });
  });
});
