import { describe, expect, it, onTestFinished } from "vitest";

import { createServer, defineTool, StoreUnavailable, type Server } from "@suite/core";
import { MemoryStore, Replica, type Store } from "../src/index.ts";
import { openLine } from "@suite/core/testing";
import { StoreLine } from "./store-line.ts";
import { heardOn, isCalled, MODERN, settled } from "./support.ts";

/** A store that says where a log ends when its gate opens. */
class GatedStore extends MemoryStore {
  gate: Promise<void> = Promise.resolve();

  override last(log: string): never {
    return this.gate.then(() => super.last(log)) as never;
  }
}

/** Disposed of after the test, and with it the connections to it. */
function startReplica(store: Store): Server {
  const tools = [defineTool({ name: "t", description: "…", run: () => "x" })];
  const server = createServer({ name: "s", version: "1", replica: new Replica(store), tools });
  onTestFinished(() => server.dispose());
  return server;
}

interface WithGap {
  readonly other: Server;
  /** A change that the other one never hears of, and one after it. */
  readonly missToolsChange: () => Promise<void>;
}

function startWithGap(): WithGap {
  const store = new MemoryStore();
  const line = new StoreLine(store);
  const [one, other] = [startReplica(store), startReplica(line)];
  const missToolsChange = async (): Promise<void> => {
    line.hold("news");
    one.listChanged("tools");
    await settled();
    // What was held until now is never passed.
    line.passLater("news");
    one.listChanged("prompts");
  };
  return { other, missToolsChange };
}

const LISTEN = { notifications: { toolsListChanged: true } };
const ACKNOWLEDGED = isCalled("notifications/subscriptions/acknowledged");
const CHANGED = isCalled("notifications/tools/list_changed");

describe("a listener at one of several replicas", () => {
  it("is told that it is heard as soon as changes elsewhere are, and hears all that follow", async () => {
    const store = new GatedStore();
    let open: () => void = () => undefined;
    store.gate = new Promise((resolve) => (open = resolve));
    const one = startReplica(store);
    store.gate = Promise.resolve();
    const other = startReplica(store);
    const line = await openLine(one, { revision: MODERN });
    line.begin("subscriptions/listen", LISTEN);
    await settled();
    other.listChanged("tools");
    await settled();
    expect(heardOn(line).some((message) => ACKNOWLEDGED(message as never))).toBe(false);
    open();
    await line.hear(ACKNOWLEDGED);
    other.listChanged("tools");
    await line.hear(CHANGED);
  });

  it("is refused for now while the store has never been there", async () => {
    const store = new GatedStore();
    store.gate = Promise.reject(new StoreUnavailable());
    const one = startReplica(store);
    await settled();
    const line = await openLine(one, { revision: MODERN });
    expect(await line.request("subscriptions/listen", LISTEN)).toMatchObject({
      error: { message: expect.stringContaining("cannot be reached right now") },
    });
    store.gate = Promise.resolve();
    await expect
      .poll(() => {
        line.begin("subscriptions/listen", LISTEN);
        return heardOn(line).some((message) => ACKNOWLEDGED(message as never));
      })
      .toBe(true);
  });

  it("is told that it is over where changes were missed that nobody knows any more", async () => {
    const { other, missToolsChange } = startWithGap();
    const line = await openLine(other, { revision: MODERN });
    const ended = line.request("subscriptions/listen", LISTEN);
    await line.hear(ACKNOWLEDGED);
    await missToolsChange();
    expect(await ended).toHaveProperty("result");
  });

  it("is told of what was missed where it has a legacy session that stays on its connection", async () => {
    const { other, missToolsChange } = startWithGap();
    const line = await openLine(other, { revision: "2025-11-25" });
    await missToolsChange();
    expect(await line.hear(CHANGED)).not.toHaveProperty("id");
  });
});
