import { renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it, vi } from "vitest";
import { Heard } from "../domain/watching/heard.ts";
import { createServed, removeServed, REVISIONS } from "./served.ts";

afterAll(removeServed);

describe.concurrent.each(REVISIONS)("a subscription in %s", (revision) => {
  it("hears of a file and of a directory, and ends", async () => {
    const served = createServed({ "a/file": "1" });
    const client = await served.connect(revision);
    const [file, directory] = [new Heard(), new Heard()];
    const subscriptions = [
      await client.subscribe(served.uri("a/file"), file.changed),
      await client.subscribe(served.uri("a"), directory.changed),
    ];
    served.write("a/file", "2");
    expect(await file.next()).toBe("told");
    served.write("a/.file.tmp", "3");
    renameSync(served.path("a/.file.tmp"), served.path("a/file"));
    expect(await file.next()).toBe("told");
    expect(directory.count).toBe(0);
    served.write("a/other", "");
    expect(await directory.next()).toBe("told");
    expect(file.count).toBe(0);
    for (const subscription of subscriptions) await subscription.close();
    await vi.waitFor(() => expect(served.watching.directories).toBe(0), { timeout: 60_000 });
  });

  it("is refused for what is outside", async () => {
    const served = createServed({ "../secret": "x" });
    symlinkSync("../secret", served.path("link"));
    const client = await served.connect(revision);
    for (const path of ["../secret", "../missing", "link"]) {
      await expect(
        client.subscribe(served.uri(path), () => undefined),
        path,
      ).rejects.toThrow("outside the allowed directories");
    }
    expect(served.watching.directories).toBe(0);
  });

  it("ends with the connection", async () => {
    const served = createServed({ a: "1" });
    const client = await served.connect(revision);
    await client.subscribe(served.uri("a"), () => undefined);
    expect(served.watching.directories).toBe(1);
    await client.close();
    await vi.waitFor(() => expect(served.watching.directories).toBe(0), { timeout: 60_000 });
  });

  it("to the list hears when something in a root comes or goes, once the list was read", async () => {
    const served = createServed({ a: "1" });
    const client = await served.connect(revision);
    const heard = new Heard();
    await client.watchList("resources", heard.changed);
    await client.listResources();
    served.write("b", "1");
    expect(await heard.next()).toBe("told");
    served.write("b", "2");
    expect(await heard.settled()).toBe(0);
    rmSync(served.path("b"));
    expect(await heard.next()).toBe("told");
  });
});

describe.concurrent("subscriptions", () => {
  it("of two clients share one watch, which goes with the last", async () => {
    const served = createServed({ a: "1" });
    const [one, two] = [await served.connect("2025-11-25"), await served.connect("2026-07-28")];
    const [first, second] = [new Heard(), new Heard()];
    const subscription = await one.subscribe(served.uri("a"), first.changed);
    await two.subscribe(served.uri("a"), second.changed);
    writeFileSync(served.path("a"), "2");
    expect(await first.next()).toBe("told");
    expect(await second.next()).toBe("told");
    await subscription.close();
    writeFileSync(served.path("a"), "3");
    expect(await second.next()).toBe("told");
    expect(first.count).toBe(0);
    await two.close();
    await vi.waitFor(() => expect(served.watching.directories).toBe(0), { timeout: 60_000 });
  });
});
