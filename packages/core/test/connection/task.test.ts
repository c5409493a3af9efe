import { describe, expect, it } from "vitest";
import { ProtocolError, ToolError, type Context } from "../../src/index.ts";
import type { Line } from "../../src/testing.ts";
import { heardOn, settled } from "../transcript.ts";
import { accept, askName } from "./asking.ts";
import { getTask, openTaskLine, serverWith, taskRequest, untilAborted, work } from "./tasks-line.ts";

const open = (run: (context: Context) => unknown): Promise<Line> => openTaskLine(serverWith(run));

const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

describe("a detached call", () => {
  it("is answered with a handle at once, and with its result to whoever comes back", async () => {
    let finish: (text: string) => void = () => undefined;
    const line = await open(({ detach }) => {
      detach();
      return new Promise<string>((resolve) => (finish = resolve));
    });
    const handle = await work(line);
    const time = expect.stringMatching(TIME) as string;
    expect(handle).toEqual({
      resultType: "task",
      taskId: expect.stringMatching(/^[\da-f-]{36}$/) as string,
      status: "working",
      createdAt: time,
      lastUpdatedAt: time,
      ttlMs: 3_600_000,
      pollIntervalMs: 1000,
      _meta: expect.any(Object) as object,
    });
    expect(await getTask(line, handle)).toEqual({ ...handle, resultType: "complete" });
    finish("done");
    await settled();
    expect(await getTask(line, handle)).toMatchObject({
      resultType: "complete",
      taskId: handle["taskId"],
      status: "completed",
      result: { resultType: "complete", content: [{ type: "text", text: "done" }] },
    });
  });

  it("outlives the connection it came on", async () => {
    let finish: (text: string) => void = () => undefined;
    const server = serverWith(({ detach }) => {
      detach();
      return new Promise<string>((resolve) => (finish = resolve));
    });
    const first = await openTaskLine(server);
    const handle = await work(first);
    await first.close();
    finish("done");
    const second = await openTaskLine(server);
    expect(await getTask(second, handle)).toMatchObject({ status: "completed" });
  });

  it("completes although the tool fails, and fails when the protocol does", async () => {
    const toolFails = await open(({ detach }) => {
      detach();
      throw new ToolError("no luck");
    });
    expect(await getTask(toolFails, await work(toolFails))).toMatchObject({
      status: "completed",
      result: { isError: true, content: [{ text: "no luck" }] },
    });
    const protocolFails = await open(({ detach }) => {
      detach();
      throw new ProtocolError(-32_603, "broken");
    });
    const failed = await getTask(protocolFails, await work(protocolFails));
    expect(failed).toMatchObject({
      status: "failed",
      statusMessage: "broken",
      error: { code: -32_603, message: "broken" },
    });
    expect(failed).not.toHaveProperty("result");
  });

  it("sends no progress any more, but keeps the last word about it", async () => {
    const line = await open((context) => {
      const { detach, progress, log } = context;
      detach();
      progress(1, 2, "half way");
      log.error("unheard");
      return untilAborted(context);
    });
    const meta = { progressToken: "p", "io.modelcontextprotocol/logLevel": "debug" };
    const handle = await work(line, { _meta: meta });
    expect(await getTask(line, handle)).toMatchObject({ status: "working", statusMessage: "half way" });
    expect(heardOn(line).filter((message) => "method" in message)).toEqual([]);
  });

  it("detaches once", async () => {
    const line = await open(({ detach }) => {
      detach();
      detach();
      return "done";
    });
    expect(await getTask(line, await work(line))).toMatchObject({ status: "completed" });
    expect(heardOn(line)).toHaveLength(2);
  });

  it("asks before it detaches as any other call does", async () => {
    const line = await open(async (context) => {
      const name = await askName(context, "user");
      context.detach();
      return `Hello, ${name}`;
    });
    const { resultType, requestState } = await work(line);
    expect(resultType).toBe("input_required");
    const handle = await work(line, { requestState, inputResponses: { user: accept({ name: "Ada" }) } });
    expect(handle).toMatchObject({ resultType: "task" });
    expect(handle).not.toHaveProperty("requestState");
    await settled();
    expect(await getTask(line, handle)).toMatchObject({ result: { content: [{ text: "Hello, Ada" }] } });
  });
});

describe("a question of a task", () => {
  const inputRequests = async (line: Line, handle: object): Promise<string[]> => {
    const task = await getTask(line, handle as never);
    expect(task["status"]).toBe("input_required");
    return Object.keys(task["inputRequests"] as object);
  };

  it("waits for its answer, however many come before", async () => {
    const line = await open(async (context) => {
      context.detach();
      return (await Promise.all([askName(context, "a"), askName(context, "b")])).join(" and ");
    });
    const handle = await work(line);
    expect(await inputRequests(line, handle)).toEqual(["a", "b"]);
    const stray = { never: accept({ name: "x" }), a: accept({ name: "Ada" }) };
    const acknowledged = await taskRequest(line, "update", handle, { inputResponses: stray });
    expect(acknowledged).toMatchObject({ result: { resultType: "complete" } });
    expect(acknowledged).not.toHaveProperty("result.taskId");
    expect(await inputRequests(line, handle)).toEqual(["b"]);
    await taskRequest(line, "update", handle, { inputResponses: { a: accept({ name: "Eve" }) } });
    await taskRequest(line, "update", handle, { inputResponses: { b: accept({ name: "Bob" }) } });
    await settled();
    expect(await getTask(line, handle)).toMatchObject({
      status: "completed",
      result: { content: [{ text: "Ada and Bob" }] },
    });
  });

  it("is asked again under a new key when the answer does not fit", async () => {
    const line = await open(async (context) => {
      context.detach();
      return `${await askName(context, "user")}, ${await askName(context, "user")}`;
    });
    const handle = await work(line);
    const keys: string[] = [];
    for (const name of [7, "Ada", "Bob"]) {
      const [key = ""] = await inputRequests(line, handle);
      keys.push(key);
      await taskRequest(line, "update", handle, { inputResponses: { [key]: accept({ name }) } });
      await settled();
    }
    expect(keys).toEqual(["user", "user#2", "user#3"]);
    expect(await getTask(line, handle)).toMatchObject({ result: { content: [{ text: "Ada, Bob" }] } });
  });

  it("is no longer open once the task has ended", async () => {
    const line = await open((context) => {
      context.detach();
      void askName(context, "user");
      return "done";
    });
    const handle = await work(line);
    const before = await getTask(line, handle);
    expect(before).toMatchObject({ status: "completed" });
    await settled();
    await taskRequest(line, "update", handle, { inputResponses: { user: accept({ name: "Ada" }) } });
    expect(await getTask(line, handle)).toEqual(before);
  });

  it("is withdrawn when the task is cancelled", async () => {
    const seen: unknown[] = [];
    const line = await open(async (context) => {
      context.detach();
      await askName(context).catch((error: unknown) => seen.push(error, context.signal.aborted));
    });
    const handle = await work(line);
    await taskRequest(line, "cancel", handle);
    const task = await getTask(line, handle);
    expect(task).toMatchObject({ status: "cancelled" });
    expect(task).not.toHaveProperty("inputRequests");
    expect(seen).toEqual([new Error("The client cancelled the task"), true]);
  });
});
