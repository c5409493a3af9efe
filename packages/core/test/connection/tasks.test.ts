import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createServer, defineTool } from "../../src/index.ts";
import { openLine } from "../../src/testing.ts";
import { LEGACY, MODERN } from "../revisions.ts";
import { resultOf, skipWaits, textOf } from "../transcript.ts";
import {
  EXTENSION,
  getTask,
  openTaskLine,
  serverWith,
  taskRequest,
  untilAborted,
  work,
} from "./tasks-line.ts";

describe("tasks", () => {
  it("are forgotten when their time is over, and their work is aborted", async () => {
    skipWaits();
    const aborted: unknown[] = [];
    const server = serverWith(
      (context) => {
        context.detach();
        context.signal.addEventListener("abort", () => aborted.push(context.signal.reason));
        return untilAborted(context);
      },
      { ttlMs: 1000 },
    );
    const line = await openTaskLine(server);
    const handle = await work(line);
    expect(await getTask(line, handle)).toMatchObject({ status: "working", ttlMs: 1000 });
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await taskRequest(line, "get", handle)).toMatchObject({ error: { code: -32_602 } });
    expect(aborted).toEqual([new Error("The task has expired")]);
  });

  it("are limited: what is too much is answered when it is done", async () => {
    const server = serverWith(
      ({ detach }) => {
        detach();
        return "done";
      },
      { most: 1 },
    );
    const line = await openTaskLine(server);
    expect(await work(line)).toMatchObject({ resultType: "task" });
    expect(await work(line)).toMatchObject({ resultType: "complete", content: [{ text: "done" }] });
  });

  it("leave one caller no more than a quarter, and what was given up can be taken again", () => {
    const { tasks } = serverWith(() => "x", { most: 8 }).runtime;
    const create = (principal: string): ReturnType<typeof tasks.create> =>
      tasks.create({ route: { principal } } as never, () => undefined);
    const [first] = ["eve", "eve"].map(create);
    expect(create("eve")).toBeUndefined();
    expect(create("ada")).toBeDefined();
    if (first) tasks.drop(first);
    expect(create("eve")).toBeDefined();
  });

  it("let go of what their calls came with when they end", async () => {
    let call: WeakRef<object> | undefined;
    const server = serverWith((context) => {
      call = new WeakRef(context);
      context.detach();
      return "done";
    });
    const handle = await work(await openTaskLine(server));
    setFlagsFromString("--expose-gc");
    await new Promise((resolve) => setImmediate(resolve));
    (runInNewContext("gc") as () => void)();
    expect(call?.deref()).toBeUndefined();
    expect(await getTask(await openTaskLine(server), handle)).toMatchObject({ status: "completed" });
  });

  it("tasks end with the server", async () => {
    let reason: unknown;
    const server = serverWith((context) => {
      context.detach();
      context.signal.addEventListener("abort", () => {
        reason = context.signal.reason;
      });
      return untilAborted(context);
    });
    await work(await openTaskLine(server));
    await server.dispose();
    expect(reason).toEqual(new Error("The server is shutting down"));
  });

  it("are there for nobody but who started them", () => {
    const { tasks } = serverWith(() => "x").runtime;
    const request = { route: { principal: "ada" } } as never;
    const task = tasks.create(request, () => undefined);
    expect(tasks.find(task?.id, "ada")).toBe(task);
    expect(tasks.find(task?.id, "eve")).toBeUndefined();
    expect(tasks.find(task?.id, undefined)).toBeUndefined();
  });

  it("need a tool that says so", async () => {
    const tool = defineTool({
      name: "work",
      description: "…",
      run: (_input, { detach }) => (detach(), "done"),
    });
    const line = await openTaskLine(createServer({ name: "s", version: "1", tools: [tool] }));
    expect(await work(line)).toMatchObject({ resultType: "complete", content: [{ text: "done" }] });
  });
});

describe("a client without tasks", () => {
  const detached = serverWith(({ detach }) => (detach(), "done"));
  const required = serverWith(() => "done", {}, "required");

  it.each([...LEGACY, MODERN])("gets the result itself in %s", async (revision) => {
    // What is declared in a revision that has no extensions means nothing.
    const capabilities = revision === MODERN ? {} : { extensions: EXTENSION };
    const line = await openLine(detached, { revision, capabilities });
    const result = await work(line);
    expect(textOf(result)).toBe("done");
    expect(result).not.toHaveProperty("taskId");
  });

  it("is told what it lacks when there is no other way", async () => {
    const line = await openLine(required, { revision: MODERN, capabilities: {} });
    expect(await line.request("tools/call", { name: "work" })).toMatchObject({
      error: { code: -32_021, data: { requiredCapabilities: { extensions: EXTENSION } } },
    });
  });

  it.each(LEGACY)("is told so in words in %s, which has no code for it", async (revision) => {
    const capabilities = { extensions: EXTENSION };
    const line = await openLine(required, { revision, capabilities });
    const result = resultOf(await line.request("tools/call", { name: "work" }));
    expect(result).toMatchObject({ isError: true });
    expect(textOf(result)).toContain("io.modelcontextprotocol/tasks");
  });
});
