import { describe, expect, it } from "vitest";
import { Catalog } from "../../src/features/catalog.ts";
import { SubscriptionHub } from "../../src/features/subscription-hub.ts";
import { defineResource, defineResourceTemplate } from "../../src/index.ts";

interface Opened {
  readonly hub: SubscriptionHub;
  readonly log: string[];
  readonly fire: Map<string, () => void>;
}

function open(): Opened {
  const log: string[] = [];
  const fire = new Map<string, () => void>();
  const template = defineResourceTemplate({
    uriTemplate: "file:///{name}",
    name: "file",
    read: () => "text",
    subscribe(uri, changed, state: string) {
      log.push(`start ${uri} with ${state}`);
      fire.set(uri, changed);
      return () => log.push(`stop ${uri}`);
    },
  });
  const resources = [
    defineResource({ uri: "mem://pushed", name: "pushed", subscribe: true, read: () => "x" }),
    defineResource({ uri: "mem://still", name: "still", read: () => "x" }),
  ];
  const catalog = new Catalog({ resources, templates: [template] }, () => undefined);
  return {
    hub: new SubscriptionHub(
      catalog,
      "state",
      (uri) => log.push(`updated ${uri}`),
      () => expect.unreachable(),
    ),
    log,
    fire,
  };
}

describe("SubscriptionHub", () => {
  it("starts with the first subscriber and stops with the last", () => {
    const { hub, log } = open();
    for (let count = 0; count < 3; count += 1) hub.acquire("file:///a");
    expect(log).toEqual(["start file:///a with state"]);
    for (let count = 0; count < 2; count += 1) hub.release("file:///a");
    expect(log).toHaveLength(1);
    hub.release("file:///a");
    expect(log).toEqual(["start file:///a with state", "stop file:///a"]);
    hub.release("file:///a");
    expect(log).toHaveLength(2);
  });

  it("starts again after it has stopped", () => {
    const { hub, log } = open();
    for (let count = 0; count < 2; count += 1) {
      hub.acquire("file:///a");
      hub.release("file:///a");
    }
    expect(log.filter((entry) => entry.startsWith("start"))).toHaveLength(2);
  });

  it("keeps one watcher per URI", () => {
    const { hub, log, fire } = open();
    hub.acquire("file:///a");
    hub.acquire("file:///b");
    fire.get("file:///b")?.();
    hub.release("file:///a");
    expect(log.slice(2)).toEqual(["updated file:///b", "stop file:///a"]);
  });

  it("needs no watcher where the server pushes itself", () => {
    const { hub, log } = open();
    hub.acquire("mem://pushed");
    hub.release("mem://pushed");
    expect(log).toEqual([]);
  });

  it("refuses what does not exist and what does not change", () => {
    const { hub } = open();
    expect(() => hub.acquire("none://x")).toThrow(expect.objectContaining({ code: -32002 }));
    expect(() => hub.acquire("mem://still")).toThrow(expect.objectContaining({ code: -32602 }));
    expect(
      ["mem://pushed", "file:///z", "mem://still", "none://x"].map((uri) => hub.canSubscribe(uri)),
    ).toEqual([true, true, false, false]);
  });

  it("keeps nothing of a watcher that could not be started", () => {
    let attempts = 0;
    const broken = defineResource({
      uri: "mem://broken",
      name: "broken",
      read: () => "x",
      subscribe() {
        attempts += 1;
        throw new Error("no more handles");
      },
    });
    const hub = new SubscriptionHub(
      new Catalog({ resources: [broken] }, () => undefined),
      undefined,
      () => undefined,
      () => undefined,
    );
    expect(() => hub.acquire("mem://broken")).toThrow("no more handles");
    expect(() => hub.acquire("mem://broken")).toThrow("no more handles");
    expect(attempts).toBe(2);
  });
});
