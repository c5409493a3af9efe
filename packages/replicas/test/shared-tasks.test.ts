import { describe, expect, it } from "vitest";

import { type Context, type Params, ProtocolError, type Server, StoreUnavailable } from "@suite/core";
import { MemoryStore, Replica, type Store } from "../src/index.ts";
import type { Line } from "@suite/core/testing";
import { StoreLine } from "./store-line.ts";
import {
  getTask,
  heardOn,
  isCalled,
  openTaskLine,
  serverWith,
  settled,
  skipWaits,
  taskRequest,
  untilAborted,
  work,
} from "./support.ts";

/** Lines to two replicas of one server. */
async function openReplicas(
  run: (context: Context) => unknown,
  store: Store = new MemoryStore(),
  othersStore: Store = store,
): Promise<readonly [Line, Line]> {
  const open = (from: Store): Promise<Line> => openTaskLine(serverWith(run, {}, new Replica(from)));
  return [await open(store), await open(othersStore)];
}

const statusesToldOn = (line: Line): unknown[] =>
  heardOn(line).flatMap((message) =>
    "method" in message && message.method === "notifications/tasks"
      ? [(message.params as Params | undefined)?.["status"]]
      : [],
  );

describe("a task of another replica", () => {
  it("is not told as it was after it was told as it is, however long a look at it takes", async () => {
    const store = new MemoryStore();
    const line = new StoreLine(store);
    let finish: (text: string) => void = () => undefined;
    let progress: Context["progress"] = () => undefined;
    const [one, other] = await openReplicas(
      (context) => {
        context.detach();
        progress = context.progress;
        return new Promise<string>((resolve) => (finish = resolve));
      },
      store,
      line,
    );
    const handle = await work(one);
    other.begin("subscriptions/listen", { notifications: { taskIds: [handle["taskId"]] } });
    await other.hear(isCalled("notifications/subscriptions/acknowledged"));
    line.hold("get");
    progress(1, 2, "half");
    await expect.poll(() => line.holds("get")).toBe(1);
    line.release("get");
    // Now it looks whether the owner is there.
    line.hold("get");
    await expect.poll(() => line.holds("get")).toBe(1);
    const release = line.passLater("get");
    finish("done");
    await expect.poll(() => statusesToldOn(other)).toEqual(["completed"]);
    release();
    await settled();
    expect(statusesToldOn(other)).toEqual(["completed"]);
  });

  it("is cancelled", async () => {
    const [one, other] = await openReplicas((context) => {
      context.detach();
      return untilAborted(context);
    });
    const handle = await work(one);
    await taskRequest(other, "cancel", handle);
    await expect.poll(() => getTask(one, handle)).toMatchObject({ status: "cancelled" });
    await expect.poll(() => getTask(other, handle)).toMatchObject({ status: "cancelled" });
  });
});

describe("a task that its replica does not finish", () => {
  it.each([
    ["the replica ends", (server: Server) => server.dispose(), "The server is shutting down"],
    ["its time is over", () => new Promise((resolve) => setTimeout(resolve, 1000)), "The task has expired"],
  ])("has failed elsewhere when %s", async (_when, end, reason) => {
    skipWaits();
    const store = new MemoryStore();
    const start = (): Server =>
      serverWith((context) => (context.detach(), untilAborted(context)), { ttlMs: 1000 }, new Replica(store));
    const one = start();
    const other = await openTaskLine(start());
    const handle = await work(await openTaskLine(one));
    await end(one);
    const message = `${reason}: how far the work got is unknown`;
    expect(await getTask(other, handle)).toMatchObject({
      status: "failed",
      statusMessage: message,
      error: { code: -32_603, message },
    });
  });
});

describe("a call that could become a task", () => {
  it("tells what it says right after it detaches", async () => {
    const [one] = await openReplicas((context) => {
      context.detach();
      context.progress(1, 2, "half way");
      return untilAborted(context);
    });
    const handle = await work(one);
    expect(await getTask(one, handle)).toMatchObject({ status: "working", statusMessage: "half way" });
  });

  it.each([
    ["completed", () => "done"],
    [
      "failed",
      () => {
        throw new ProtocolError(-32603, "broken");
      },
    ],
  ])("becomes one even if it has %s before its handle is stored", async (status, end) => {
    const [one, other] = await openReplicas(({ detach }) => {
      detach();
      return end();
    });
    const handle = await work(one);
    expect(handle).toMatchObject({ resultType: "task" });
    await expect.poll(() => getTask(other, handle)).toMatchObject({ status });
  });

  it("is answered when it is done where its handle cannot be stored", async () => {
    class FullStore extends MemoryStore {
      override set(): never {
        throw new StoreUnavailable();
      }
    }
    const [one] = await openReplicas(async ({ detach }) => {
      detach();
      await new Promise((resolve) => setTimeout(resolve, 20));
      return "done";
    }, new FullStore());
    expect(await work(one)).toMatchObject({ resultType: "complete", content: [{ text: "done" }] });
    expect(new StoreUnavailable()).toBeInstanceOf(ProtocolError);
  });
});
