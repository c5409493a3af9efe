import fs, { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
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
  it("is looked at from time to time", { timeout: 30_000 }, async () => {
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
