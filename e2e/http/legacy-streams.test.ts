import { isOf, isResponse, textOf } from "@suite/check/wires";
import { expect } from "vitest";

import { verify } from "./verify.ts";

const UPDATED = "notifications/resources/updated";
const LOGGED = "notifications/message";

verify(
  ["http/get-stream-or-405", "http/get-stream-without-responses", "http/get-stream-unrelated-messages"],
  "streams on GET what concerns no request, and no response",
  async ({ open }) => {
    const wire = await open();
    const stream = await wire.get();
    expect([stream.status, stream.headers["content-type"]]).toEqual([200, "text/event-stream"]);
    await wire.request("resources/subscribe", { uri: "demo:///counter" });
    const slow = wire.sendTool("progress", { steps: 4, pauseMs: 50 }, { meta: { progressToken: "p" } });
    await wire.callTool("count");
    await wire.callTool("log_unprompted");
    await wire.callTool("add_tool");
    await wire.callTool("log_every_level");
    await (
      await slow
    ).ended;
    await stream.hear(isOf("notifications/tools/list_changed"));
    expect(stream.messages.map(({ method }) => method)).toEqual([
      UPDATED,
      LOGGED,
      "notifications/tools/list_changed",
    ]);
    expect(stream.messages.filter(isResponse)).toEqual([]);
    expect((await wire.get(undefined, { accept: "application/json" })).status).toBe(406);
  },
);

verify(["http/no-broadcast"], "sends each message on one stream only", async ({ open }) => {
  const wire = await open();
  const streams = [await wire.get(), await wire.get(), await wire.get()];
  const heard = (): unknown[] => streams.flatMap(({ messages }) => messages);
  for (let count = 0; count < 5; count += 1) await wire.callTool("log_unprompted");
  await expect.poll(heard).toHaveLength(5);
  streams[2]?.drop();
  await new Promise((resolve) => setTimeout(resolve, 100));
  for (let count = 0; count < 5; count += 1) await wire.callTool("log_unprompted");
  await expect.poll(() => heard().length).toBeGreaterThanOrEqual(10);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(heard()).toHaveLength(10);
});

verify(["http/version-header-absent"], "serves a request without the header", async ({ open, revision }) => {
  const wire = await open();
  const headers = { "mcp-protocol-version": undefined };
  // The session knows its version: nothing has to be assumed.
  const { result } = await wire.callTool("journal", {}, { headers });
  expect(result).toHaveProperty("structuredContent");
  expect((await wire.get(undefined, headers)).status).toBe(200);
  const icons = await wire.request("tools/list", {}, { headers });
  expect(JSON.stringify(icons).includes('"icons"')).toBe(revision === "2025-11-25");
});

verify(["http/version-header-invalid"], "refuses a version that nobody knows with 400", async ({ open }) => {
  const wire = await open();
  for (const version of ["1999-01-01", "2025-11-26", "latest", "", "2025-11-25, 2025-11-25"]) {
    const headers = { "mcp-protocol-version": version };
    expect((await wire.send("ping", {}, { headers })).status, version).toBe(400);
    expect((await wire.get(undefined, headers)).status, version).toBe(400);
    expect((await wire.say({ jsonrpc: "2.0", method: "notifications/x" }, headers)).status, version).toBe(
      400,
    );
  }
  expect((await wire.send("ping", {}, { headers: { "mcp-protocol-version": "2025-06-18" } })).status).toBe(
    200,
  );
});

verify(
  ["http/disconnect-is-not-cancellation"],
  "goes on with its work when the connection drops",
  async ({ open, served }) => {
    const wire = await open();
    const stream = await wire.sendTool(
      "progress",
      { steps: 5, pauseMs: 40 },
      { meta: { progressToken: "p" } },
    );
    await stream.hear(isOf("notifications/progress"));
    stream.drop();
    const waiting = wire.sendTool("slow", { ms: 200, label: "alone" });
    const dropped = await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 50))]);
    expect(dropped).toBeUndefined();
    await waiting;
    expect(served.state.aborted).toEqual([]);
    const rest = await wire.get(stream.events.findLast(({ id }) => id !== undefined)?.id);
    expect(textOf(await rest.answer())).toBe("5 steps");
  },
);
