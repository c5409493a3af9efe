import {
  callTool,
  capabilitiesOf,
  CAPABLE,
  isOf,
  listAll,
  listen,
  notificationsSince,
  subscriptionOf,
} from "@suite/check/wires";
import { expect } from "vitest";

import { journalOf } from "../support/calls.ts";
import { BARE, EVERYTHING, NOTES } from "../support/servers.ts";
import { disturb } from "./disturb.ts";
import { verify } from "./verify.ts";

const CHANGED = "notifications/resources/list_changed";
const UPDATED = "notifications/resources/updated";

verify("resources/capability-declared", "declares resources when it has some", async ({ open }) => {
  for (const server of [EVERYTHING, NOTES]) {
    const wire = await open({ server });
    expect(await listAll(wire, "resources/list")).not.toHaveLength(0);
    expect(await capabilitiesOf(wire)).toMatchObject({ resources: { listChanged: true, subscribe: true } });
  }
});

verify(
  "resources/list-answered",
  "answers with an empty list when there are none",
  async ({ open }) => {
    const wire = await open();
    expect(await capabilitiesOf(wire)).toHaveProperty("resources");
    expect((await wire.request("resources/list")).result).toMatchObject({ resources: [] });
    expect((await wire.request("resources/templates/list")).result).toMatchObject({ resourceTemplates: [] });
  },
  { server: BARE },
);

verify(
  "resources/list-same-for-all",
  "lists the same resources to everybody, whatever happened before",
  async ({ open }) => {
    const one = await open();
    const other = await open({ capabilities: CAPABLE });
    const listed = await listAll(one, "resources/list");
    await disturb(one);
    expect(await listAll(one, "resources/list")).toEqual(listed);
    expect(await listAll(other, "resources/list")).toEqual(listed);
  },
  { server: EVERYTHING },
);

verify(
  "resources/list-changed",
  "says when the list has changed",
  async ({ open }) => {
    const wire = await open();
    expect(await capabilitiesOf(wire)).toMatchObject({ resources: { listChanged: true } });
    for (const [change, isThere] of [
      ["add_resource", true],
      ["remove_resource", false],
    ] as const) {
      await callTool(wire, change);
      expect(await wire.hear(isOf(CHANGED))).not.toHaveProperty("id");
      const uris = (await listAll<{ uri: string }>(wire, "resources/list")).map(({ uri }) => uri);
      expect(uris.includes("demo:///extra")).toBe(isThere);
    }
    expect(notificationsSince(wire, 0)).toEqual([CHANGED, CHANGED]);
  },
  { server: EVERYTHING },
);

verify(
  "resources/list-changed-to-listeners",
  "tells every stream that asked about changes of the list",
  async ({ open }) => {
    const wire = await open();
    const first = await listen(wire, { resourcesListChanged: true });
    const second = await listen(wire, { resourcesListChanged: true, toolsListChanged: true });
    await listen(wire, { toolsListChanged: true });
    await callTool(wire, "add_resource");
    await callTool(wire, "no_arguments");
    expect(wire.heard.filter(isOf(CHANGED)).map(subscriptionOf)).toEqual([first, second]);
  },
  { server: EVERYTHING },
);

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
    for (const uri of [text, counter]) {
      expect((await wire.request("resources/subscribe", { uri })).result).toEqual({});
    }
    await callTool(wire, "touch", { uri: text });
    await callTool(wire, "touch", { uri: "demo:///cities/ch/Bern" });
    await callTool(wire, "count");
    expect((await journalOf(wire)).watches).toEqual({ started: 1, stopped: 0 });
    await wire.request("resources/unsubscribe", { uri: text });
    await wire.request("resources/unsubscribe", { uri: counter });
    await callTool(wire, "touch", { uri: text });
    await callTool(wire, "touch", { uri: counter });
    await callTool(wire, "count");
    expect((await journalOf(wire)).watches).toEqual({ started: 1, stopped: 1 });
    expect(wire.heard.filter(isOf(UPDATED)).map(({ params }) => params)).toEqual([
      { uri: text },
      { uri: counter },
    ]);
  },
  { server: EVERYTHING },
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
  { server: EVERYTHING },
);
