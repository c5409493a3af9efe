import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Server } from "node:http";
import { expect, it, onTestFinished } from "vitest";

import { serveMetrics } from "../../../src/serving/telemetry/serve-metrics.ts";

/** Calls back with the server of the next request, and closes it. */
function whenAsked(look: (server: Server) => void = () => {}): void {
  const closing = (message: unknown): void => {
    const { server } = message as { server: Server };
    look(server);
    server.close();
  };
  subscribe("http.server.request.start", closing);
  onTestFinished(() => void unsubscribe("http.server.request.start", closing));
}

it("answers and goes on where something cannot be measured", async () => {
  whenAsked();
  const url = await serveMetrics({ host: "127.0.0.1", port: 0 }, () => {
    throw new Error("EMFILE");
  });
  const response = await fetch(url);
  expect([response.status, await response.text()]).toEqual([500, ""]);
});

it("goes on where connections cannot be accepted", async () => {
  whenAsked((server) => {
    for (let times = 0; times < 2; times += 1) server.emit("error", new Error("accept EMFILE"));
  });
  const response = await fetch(await serveMetrics({ host: "127.0.0.1", port: 0 }, () => "fine"));
  expect(await response.text()).toBe("fine");
});
