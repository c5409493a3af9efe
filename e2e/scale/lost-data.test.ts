import { once } from "node:events";
import { connect } from "node:net";

import { HttpWire, isOf } from "@suite/check/wires";
import { expect, it, onTestFinished } from "vitest";

import { HttpProgram } from "../http/http-program.ts";
import { describeWith } from "../support/programs.ts";
import { HTTP_FIXTURE } from "../support/servers.ts";
import { startRedis } from "./redis-server.ts";

const TOUCH = { uri: "demo:///text" };
const CHANGED = isOf("notifications/resources/updated");

async function forgetAll(url: string): Promise<void> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write("FLUSHALL\r\n");
  await once(socket, "data");
  socket.destroy();
}

describeWith(["redis-server"], "a Redis that has lost its data", () => {
  it("leaves no client listening in vain: sessions are gone, and streams are over", async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const server = await HttpProgram.start([JSON.stringify({ store: redis.url })], HTTP_FIXTURE);
    onTestFinished(() => server.stop());
    const session = await HttpWire.open(server.url.href, "2025-11-25");
    await session.request("resources/subscribe", TOUCH);
    const stream = await session.get();
    const modern = await HttpWire.open(server.url.href, "2026-07-28");
    const listening = await modern.send("subscriptions/listen", {
      notifications: { resourceSubscriptions: [TOUCH.uri] },
    });
    await modern.callTool("touch", TOUCH);
    await Promise.all([stream.hear(CHANGED), listening.hear(CHANGED)]);
    await forgetAll(redis.url);
    await modern.callTool("touch", TOUCH);
    await Promise.all([stream.ended, listening.ended]);
    const answer = await session.send("ping");
    expect(answer.status).toBe(404);
  });
});
