import {
  callTool,
  capabilitiesOf,
  CAPABLE,
  isOf,
  listen,
  listTools,
  notificationsSince,
  subscriptionOf,
} from "@suite/check/wires";
import { expect } from "vitest";

import { BARE, EVERYTHING, NOTES } from "../support/servers.ts";
import { disturb } from "./disturb.ts";
import { verify } from "./verify.ts";

const CHANGED = "notifications/tools/list_changed";

verify(
  "tools/capability-declared",
  "declares tools when it has some",
  async ({ shared }) => {
    const wire = await shared();
    expect(await listTools(wire)).not.toHaveLength(0);
    expect(await capabilitiesOf(wire)).toHaveProperty("tools");
  },
  { server: EVERYTHING },
);

verify(
  "tools/list-answered",
  "answers with an empty list when there are none",
  async ({ open }) => {
    const wire = await open();
    expect(await capabilitiesOf(wire)).toHaveProperty("tools");
    expect((await wire.request("tools/list")).result).toMatchObject({ tools: [] });
  },
  { server: BARE },
);

verify(
  ["tools/list-same-for-all", "tools/deterministic-order"],
  "lists the same tools in the same order to everybody, whatever happened before",
  async ({ open }) => {
    const one = await open();
    const other = await open({ capabilities: CAPABLE });
    const listed = await listTools(one);
    await disturb(one);
    expect(await listTools(one)).toEqual(listed);
    expect(await listTools(other)).toEqual(listed);
  },
  { server: EVERYTHING },
);

verify(
  "tools/list-changed",
  "says when the list has changed",
  async ({ open }) => {
    const wire = await open();
    expect(await capabilitiesOf(wire)).toMatchObject({ tools: { listChanged: true } });
    for (const [change, isThere] of [
      ["add_tool", true],
      ["remove_tool", false],
    ] as const) {
      await callTool(wire, change);
      expect(await wire.hear(isOf(CHANGED))).not.toHaveProperty("id");
      expect((await listTools(wire)).some(({ name }) => name === "extra_tool")).toBe(isThere);
    }
    expect(notificationsSince(wire, 0)).toEqual([CHANGED, CHANGED]);
  },
  { server: EVERYTHING },
);

verify(
  "tools/list-changed-to-listeners",
  "tells every stream that asked about changes of the list",
  async ({ open }) => {
    const wire = await open();
    const first = await listen(wire, { toolsListChanged: true });
    const second = await listen(wire, { toolsListChanged: true, promptsListChanged: true });
    await listen(wire, { promptsListChanged: true });
    await callTool(wire, "add_tool");
    await callTool(wire, "no_arguments");
    const told = wire.heard.filter(isOf(CHANGED)).map(subscriptionOf);
    expect(told).toEqual([first, second]);
  },
  { server: EVERYTHING },
);

verify(
  ["tools/input-schema-object", "tools/no-parameters-schema-closed", "tools/name-shape", "tools/name-unique"],
  "lists tools with proper names and schemas",
  async ({ shared }) => {
    const everything = await listTools(await shared());
    for (const tools of [everything, await listTools(await shared(NOTES))]) {
      expect(tools.length).toBeGreaterThan(1);
      for (const { name, inputSchema } of tools) {
        expect(name).toMatch(/^[\w.-]{1,128}$/);
        expect(inputSchema, name).toMatchObject({ type: "object" });
      }
      expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    }
    const silent = everything.find(({ name }) => name === "no_arguments");
    expect(silent?.inputSchema).toEqual({ type: "object", additionalProperties: false });
  },
  { server: EVERYTHING },
);

verify(
  "tools/name-case-sensitive",
  "takes a name in other letter case for another name",
  async ({ shared }) => {
    const wire = await shared();
    expect((await callTool(wire, "Echo.text-1", { text: "x" })).result).toBeDefined();
    for (const name of ["echo.text-1", "ECHO.TEXT-1", "Echo.Text-1", "Echo.text-1 "]) {
      expect((await callTool(wire, name, { text: "x" })).error?.code, name).toBe(-32602);
    }
  },
  { server: EVERYTHING },
);
