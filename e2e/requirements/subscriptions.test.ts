import {
  callTool,
  type Fields,
  isAnswerTo,
  isOf,
  listen,
  type Message,
  META_SUBSCRIPTION_ID,
  notificationsSince,
  subscriptionOf,
} from "@suite/check/wires";
import { expect } from "vitest";

import { NOTES, TOOLS_ONLY } from "../support/servers.ts";
import type { Wire } from "../support/wire.ts";
import { SIGNALS } from "../support/programs.ts";
import { verify } from "./verify.ts";

const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const EVERY_LIST = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

/** Changes every list, the counter and the text, in one go. */
async function changeEverything(wire: Wire): Promise<void> {
  for (const name of ["add_tool", "add_prompt", "add_resource", "count"]) await callTool(wire, name);
  await callTool(wire, "touch", { uri: "demo:///text" });
  for (const name of ["remove_tool", "remove_prompt", "remove_resource"]) await callTool(wire, name);
  // Notifications may follow the answer to what caused them, but not the next one.
  await callTool(wire, "no_arguments");
}

const withSubscription = (wire: Wire, id: unknown): readonly Message[] =>
  wire.heard.filter((message) => subscriptionOf(message) === id);

verify(
  "subscriptions/acknowledged-first",
  "acknowledges a stream before anything is sent on it",
  async ({ open }) => {
    const wire = await open();
    const ids = ["a", "b", 1000].map((id) => {
      const notifications = { ...EVERY_LIST, resourceSubscriptions: ["demo:///counter"] };
      wire.send("subscriptions/listen", { notifications }, { id });
      wire.send("tools/call", { name: "count" });
      wire.send("tools/call", { name: id === "a" ? "add_tool" : "remove_tool" });
      return id;
    });
    await callTool(wire, "no_arguments");
    for (const id of ids) {
      const messages = withSubscription(wire, id);
      expect(messages.length).toBeGreaterThan(1);
      expect(messages.map(({ method }) => method).indexOf(ACKNOWLEDGED)).toBe(0);
      expect(messages.filter(isOf(ACKNOWLEDGED))).toHaveLength(1);
    }
  },
);

/** What the server says it will deliver of this. */
async function acknowledged(wire: Wire, notifications: Fields): Promise<unknown> {
  const id = wire.send("subscriptions/listen", { notifications });
  const message = await wire.hear((heard) => heard.method === ACKNOWLEDGED && subscriptionOf(heard) === id);
  return message.params?.["notifications"];
}

verify("subscriptions/acknowledged-subset", "acknowledges exactly what it will deliver", async ({ open }) => {
  const wire = await open();
  expect(await acknowledged(wire, EVERY_LIST)).toEqual(EVERY_LIST);
  expect(await acknowledged(wire, {})).toEqual({});
  expect(await acknowledged(wire, { toolsListChanged: true, promptsListChanged: false })).toEqual({
    toolsListChanged: true,
  });
  expect(await acknowledged(wire, { unheardChanged: true })).toEqual({});
  expect(await acknowledged(await open({ server: TOOLS_ONLY }), EVERY_LIST)).toEqual({
    toolsListChanged: true,
  });
  const resourceSubscriptions = [
    "demo:///counter",
    "demo:///nowhere",
    "demo:///blob",
    "demo:///cities/ch/Bern",
  ];
  expect(await acknowledged(wire, { resourceSubscriptions })).toEqual({
    resourceSubscriptions: ["demo:///counter", "demo:///cities/ch/Bern"],
  });
  const notes = await open({ server: NOTES });
  expect(await acknowledged(notes, { resourceSubscriptions: ["note:///", "note:///welcome"] })).toEqual({
    resourceSubscriptions: ["note:///welcome"],
  });
});

const LISTS_OF: { readonly [filter: string]: string } = {
  toolsListChanged: "notifications/tools/list_changed",
  promptsListChanged: "notifications/prompts/list_changed",
  resourcesListChanged: "notifications/resources/list_changed",
};

verify("subscriptions/only-requested-kinds", "sends nothing that was not asked for", async ({ open }) => {
  const wire = await open();
  await changeEverything(wire);
  expect(notificationsSince(wire, 0)).toEqual([]);
  for (const [filter, method] of Object.entries(LISTS_OF)) {
    const id = await listen(wire, { [filter]: true });
    const before = wire.heard.length;
    await changeEverything(wire);
    expect(notificationsSince(wire, before), filter).toEqual([method, method]);
    wire.notify("notifications/cancelled", { requestId: id });
  }
  await listen(wire, { resourceSubscriptions: ["demo:///text"] });
  const before = wire.heard.length;
  await changeEverything(wire);
  expect(notificationsSince(wire, before)).toEqual(["notifications/resources/updated"]);
  expect(wire.heard.find(isOf("notifications/resources/updated"))?.params).toHaveProperty(
    "uri",
    "demo:///text",
  );
});

verify("subscriptions/tagged", "tags everything on a stream with the id of its request", async ({ open }) => {
  const wire = await open();
  const notifications = { ...EVERY_LIST, resourceSubscriptions: ["demo:///text", "demo:///counter"] };
  for (const id of ["1000", 1000, ""]) await listen(wire, notifications, id);
  await changeEverything(wire);
  const told = wire.heard.filter(({ id }) => id === undefined);
  expect(told).toHaveLength(3 * 9);
  for (const id of ["1000", 1000, ""])
    expect(told.filter((message) => subscriptionOf(message) === id)).toHaveLength(9);
});

verify(
  "subscriptions/graceful-end",
  "answers a listen request when the server ends the stream",
  async ({ open }) => {
    for (const end of ["input", ...SIGNALS] as const) {
      const wire = await open();
      const id = await listen(wire, EVERY_LIST, "stream");
      const { code } = await (end === "input" ? wire.end() : wire.kill(end));
      expect(code).toBe(0);
      const answer = wire.heard.find(isAnswerTo(id));
      expect(answer?.result, end).toMatchObject({
        resultType: "complete",
        _meta: { [META_SUBSCRIPTION_ID]: "stream" },
      });
    }
  },
);
