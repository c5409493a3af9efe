import { callTool, isOf, listen, notificationsSince, subscriptionOf } from "@suite/check/wires";
import { expect } from "vitest";

import { journalOf } from "../support/calls.ts";
import { verify } from "./verify.ts";

const UPDATED = "notifications/resources/updated";

verify(
  "resources/updated-only-after-subscribe",
  "tells of updates between subscribe and unsubscribe only",
  async ({ open }) => {
    const wire = await open();
    const text = "demo:///text";
    const counter = "demo:///counter";
    await callTool(wire, "touch", { uri: text });
    await callTool(wire, "count");
    expect(notificationsSince(wire, 0)).toEqual([]);
    for (const uri of [text, counter, counter]) {
      expect((await wire.request("resources/subscribe", { uri })).result).toEqual({});
    }
    await callTool(wire, "touch", { uri: text });
    await callTool(wire, "touch", { uri: "demo:///cities/ch/Bern" });
    await callTool(wire, "count");
    expect((await journalOf(wire)).watches).toEqual({ started: 1, stopped: 0 });
    for (const uri of [text, counter, counter]) {
      expect((await wire.request("resources/unsubscribe", { uri })).result).toEqual({});
    }
    await callTool(wire, "touch", { uri: text });
    await callTool(wire, "touch", { uri: counter });
    await callTool(wire, "count");
    expect((await journalOf(wire)).watches).toEqual({ started: 1, stopped: 1 });
    expect(wire.heard.filter(isOf(UPDATED)).map(({ params }) => params)).toEqual([
      { uri: text },
      { uri: counter },
    ]);
  },
);

verify(
  "resources/updated-to-listeners",
  "tells every stream that named the resource about its changes",
  async ({ open }) => {
    const wire = await open();
    const counter = "demo:///counter";
    const first = await listen(wire, { resourceSubscriptions: [counter] });
    const second = await listen(wire, { resourceSubscriptions: ["demo:///text", counter] });
    await listen(wire, { resourceSubscriptions: ["demo:///text"] });
    expect((await journalOf(wire)).watches).toEqual({ started: 1, stopped: 0 });
    await callTool(wire, "count");
    const updates = wire.heard.filter(isOf(UPDATED));
    expect(updates.map(({ params }) => params?.["uri"])).toEqual([counter, counter]);
    expect(updates.map(subscriptionOf)).toEqual([first, second]);
    for (const requestId of [first, second]) wire.notify("notifications/cancelled", { requestId });
    await callTool(wire, "count");
    expect((await journalOf(wire)).watches).toEqual({ started: 1, stopped: 1 });
    expect(wire.heard.filter(isOf(UPDATED))).toHaveLength(2);
  },
);
