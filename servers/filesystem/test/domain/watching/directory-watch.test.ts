import fs, { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { Heard } from "./heard.ts";
import { createPlace, removePlaces } from "./place.ts";

const { watch } = fs;

afterEach(() => {
  vi.unstubAllEnvs();
  fs.watch = watch;
  syncBuiltinESMExports();
});

afterAll(removePlaces);

/** The system has nothing left to watch with: every attempt fails as it would then. */
function exhaustWatches(): void {
  fs.watch = () => {
    throw Object.assign(new Error("System limit for number of file watchers reached"), { code: "ENOSPC" });
  };
  syncBuiltinESMExports();
}

/** For file systems that tell of no changes. */
function askForPolling(): void {
  vi.stubEnv("CHOKIDAR_USEPOLLING", "1");
  vi.stubEnv("CHOKIDAR_INTERVAL", "50");
}

describe.each([
  ["that the system cannot watch", exhaustWatches],
  ["that is to be polled", askForPolling],
])("a directory %s", (_name, prepare) => {
  it("is looked at from time to time", async () => {
    prepare();
    const place = createPlace();
    const file = await place.watch(place.file);
    const directory = await place.watch(place.at("a/b"));
    for (const text of ["two", "three"]) {
      appendFileSync(place.file, text);
      expect(await file.next()).toBe("told");
    }
    expect(directory.count).toBe(0);
    writeFileSync(place.at("a/b/new"), "x");
    expect(await directory.next()).toBe("told");
    rmSync(place.at("a"), { recursive: true });
    expect(await file.next()).toBe("told");
    place.watching.close();
  });
});

const openWatches = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === "FSEventWrap").length;

describe("directories that many paths share", () => {
  it("are watched once, and closed with the last of the paths", async () => {
    const place = createPlace();
    const heards = new Map<string, Heard>();
    const stops: (() => void)[] = [];
    for (let count = 0; count < 200; count += 1) {
      const path = place.at(`a/b/many-${count}`);
      writeFileSync(path, "x");
      const heard = new Heard();
      heards.set(path, heard);
      stops.push(place.watching.watch(path, heard.changed));
    }
    expect(place.watching.directories).toBe(3);
    await sleep(200);
    for (const path of heards.keys()) appendFileSync(path, "!");
    await expect.poll(() => [...heards.values()].every(({ count }) => count > 0)).toBe(true);
    expect(openWatches()).toBeGreaterThan(0);
    const last = stops.pop();
    for (const stop of stops) stop();
    expect(place.watching.directories).toBe(3);
    last?.();
    expect(place.watching.directories).toBe(0);
    await expect.poll(openWatches).toBe(0);
  });

  it("leave nothing open when nobody waits for them to be ready", async () => {
    const place = createPlace();
    for (let count = 0; count < 20; count += 1) place.watching.watch(place.file, () => undefined)();
    const stop = place.watching.watch(place.file, () => undefined);
    await expect.poll(openWatches).toBeGreaterThan(0);
    stop();
    await expect.poll(openWatches).toBe(0);
    await sleep(100);
    expect(openWatches()).toBe(0);
  });

  it("cost no more than what is asked for, and give that back at once", async () => {
    const place = createPlace();
    for (let count = 0; count < 100; count += 1) writeFileSync(place.at(`a/b/bystander-${count}`), "x");
    await place.watch(place.file);
    // The three directories, and the file itself.
    await expect.poll(openWatches).toBe(4);
    writeFileSync(place.at("a/b/second"), "x");
    const stop = place.watching.watch(place.at("a/b/second"), () => undefined);
    await expect.poll(openWatches).toBe(5);
    stop();
    await expect.poll(openWatches).toBe(4);
    expect(place.watching.directories).toBe(3);
    place.watching.close();
  });
});
