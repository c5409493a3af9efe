import fs, { appendFileSync, mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
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

/** Every attempt fails as it would where the system has nothing left to watch with, or the directory may not be read. */
const refuseWatches = (code: string) => (): void => {
  fs.watch = () => {
    throw Object.assign(new Error("The system does not watch this"), { code });
  };
  syncBuiltinESMExports();
};

/** For file systems that tell of no changes. */
function askForPolling(): void {
  vi.stubEnv("CHOKIDAR_USEPOLLING", "1");
  vi.stubEnv("CHOKIDAR_INTERVAL", "50");
}

describe.each([
  ["that the system cannot watch", refuseWatches("ENOSPC")],
  ["that may not be read", refuseWatches("EACCES")],
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

  it("are still heard of when others have taken their places", async () => {
    const place = createPlace();
    // The directory around them is watched before they are.
    await place.watch(place.at("a/b"));
    const names = ["one", "two", "three"];
    for (const name of names) for (const path of [`a/${name}`, `a/new ${name}`]) mkdirSync(place.at(path));
    const heards = await Promise.all(names.map((name) => place.watch(place.at(`a/${name}`))));
    for (const name of names) {
      rmdirSync(place.at(`a/${name}`));
      renameSync(place.at(`a/new ${name}`), place.at(`a/${name}`));
    }
    for (const heard of heards) await heard.settled();
    for (const heard of heards) heard.count = 0;
    for (const name of names) writeFileSync(place.at(`a/${name}/file`), "x");
    await expect.poll(() => heards.every(({ count }) => count > 0)).toBe(true);
    place.watching.close();
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
