import { describe, expect, it } from "vitest";
import { createServer, defineTool } from "../../src/index.ts";
import type { Params } from "../../src/jsonrpc/message.ts";
import { openLine } from "../../src/testing.ts";
import { LEGACY, MODERN } from "../revisions.ts";
import { heardOn, isCalled, resultOf, settled } from "../transcript.ts";
import {
  EXTENSION,
  getTask,
  openTaskLine,
  serverWith,
  taskRequest,
  untilAborted,
  work,
} from "./tasks-line.ts";

const METHODS = ["tasks/get", "tasks/update", "tasks/cancel"] as const;
const NAMELESS = { taskId: "none", inputResponses: {} };

const waiting = serverWith((context) => (context.detach(), untilAborted(context)));
const withoutTasks = createServer({
  name: "s",
  version: "1",
  tools: [defineTool({ name: "work", description: "…", run: () => "x" })],
});

describe("the extension", () => {
  it("is declared by servers that have such tools, to the revision that knows extensions", async () => {
    const line = await openLine(waiting, { revision: MODERN });
    const { capabilities } = resultOf(await line.request("server/discover"));
    expect(capabilities).toMatchObject({ extensions: EXTENSION });
    const other = await openLine(withoutTasks, { revision: MODERN });
    const discovered = resultOf(await other.request("server/discover"));
    expect(discovered["capabilities"]).not.toHaveProperty("extensions");
  });

  it.each(LEGACY)("is not there in %s", async (revision) => {
    const line = await openLine(waiting, { revision, capabilities: { extensions: EXTENSION } });
    const [initialized] = heardOn(line);
    expect(initialized).not.toHaveProperty("result.capabilities.extensions");
    expect(await line.request("tasks/get", NAMELESS)).toMatchObject({ error: { code: -32_601 } });
  });
});

describe.each(METHODS)("%s", (method) => {
  it("is unknown where nothing becomes a task", async () => {
    const line = await openTaskLine(withoutTasks);
    expect(await line.request(method, NAMELESS)).toMatchObject({ error: { code: -32_601 } });
  });

  it("needs a client that knows tasks", async () => {
    const line = await openLine(waiting, { revision: MODERN, capabilities: { extensions: {} } });
    expect(await line.request(method, NAMELESS)).toMatchObject({
      error: { code: -32_021, data: { requiredCapabilities: { extensions: EXTENSION } } },
    });
  });

  it.each(["none", 7, undefined, null, {}])("refuses the id %j", async (taskId) => {
    const line = await openTaskLine(waiting);
    expect(await line.request(method, { ...NAMELESS, taskId })).toMatchObject({ error: { code: -32_602 } });
  });
});

describe("tasks/update", () => {
  it.each([undefined, null, 7, []])("refuses %j for answers", async (inputResponses) => {
    const line = await openTaskLine(waiting);
    const handle = await work(line);
    expect(await taskRequest(line, "update", handle, { inputResponses })).toMatchObject({
      error: { code: -32_602 },
    });
  });
});

describe("tasks/cancel", () => {
  it("ends the task, and may come late", async () => {
    const line = await openTaskLine(waiting);
    const handle = await work(line);
    const acknowledged = resultOf(await taskRequest(line, "cancel", handle));
    expect(Object.keys(acknowledged).toSorted()).toEqual(["_meta", "resultType"]);
    expect(await getTask(line, handle)).toMatchObject({ status: "cancelled" });
    expect(resultOf(await taskRequest(line, "cancel", handle))).toEqual(acknowledged);
  });

  it("is the only way: the call itself was answered", async () => {
    const later = serverWith(async ({ detach, signal }) => {
      detach();
      await settled(50);
      return `aborted: ${signal.aborted}`;
    });
    const line = await openTaskLine(later);
    const handle = await work(line);
    line.notify("notifications/cancelled", { requestId: 1 });
    await settled(100);
    expect(await getTask(line, handle)).toMatchObject({ result: { content: [{ text: "aborted: false" }] } });
  });
});

describe("listening to tasks", () => {
  const listen = (taskIds: unknown): Params => ({ notifications: { taskIds } });

  it("tells of every change in full, of the tasks that were asked for", async () => {
    const line = await openTaskLine(waiting);
    const other = await work(line);
    const { taskId } = await work(line);
    line.begin("subscriptions/listen", listen([taskId, "none"]));
    expect(await line.hear(isCalled("notifications/subscriptions/acknowledged"))).toMatchObject({
      params: { notifications: { taskIds: [taskId] } },
    });
    await taskRequest(line, "cancel", other);
    await taskRequest(line, "cancel", { taskId });
    const tag = { "io.modelcontextprotocol/subscriptionId": 3 };
    expect(await line.hear(isCalled("notifications/tasks"))).toMatchObject({
      params: { _meta: tag, taskId, status: "cancelled", pollIntervalMs: 1000 },
    });
  });

  it("needs a client that knows tasks", async () => {
    const line = await openLine(waiting, { revision: MODERN });
    expect(await line.request("subscriptions/listen", listen(["x"]))).toMatchObject({
      error: { code: -32_021 },
    });
  });

  it("needs a list of ids", async () => {
    const line = await openTaskLine(waiting);
    expect(await line.request("subscriptions/listen", listen(7))).toMatchObject({ error: { code: -32_602 } });
  });
});
