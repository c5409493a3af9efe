import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Server } from "node:http";
import { expect, it, onTestFinished } from "vitest";

import { serveMetrics } from "../../src/telemetry/serve-metrics.ts";

it("answers and goes on where something cannot be measured", async () => {
  const closing = (message: unknown): void => void (message as { server: Server }).server.close();
  subscribe("http.server.request.start", closing);
  onTestFinished(() => void unsubscribe("http.server.request.start", closing));
  const url = await serveMetrics({ host: "127.0.0.1", port: 0 }, () => {
    throw new Error("EMFILE");
  });
  const response = await fetch(url);
  expect([response.status, await response.text()]).toEqual([500, ""]);
});
