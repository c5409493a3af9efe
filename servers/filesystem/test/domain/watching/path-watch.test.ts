import { appendFileSync, linkSync, mkdirSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PathGuard } from "@suite/server-kit/domain";
import { needs } from "@suite/server-kit/testing";
import { afterAll, describe, expect, it, vi } from "vitest";
import { PathWatch } from "../../../src/domain/watching/path-watch.ts";
import { Heard } from "./heard.ts";
import { createPlace, type Place, removePlaces } from "./place.ts";

afterAll(removePlaces);

type Step = (place: Place) => void;
const append: Step = ({ file }) => appendFileSync(file, "!");
const remove: Step = ({ file }) => unlinkSync(file);
const make: Step = (place) => {
  mkdirSync(place.at("a/b"), { recursive: true });
  writeFileSync(place.file, "again");
};
const end =
  (directory: string): Step =>
  (place) =>
    rmSync(place.at(directory), { recursive: true });
const atOnce =
  (...steps: Step[]): Step =>
  (place) =>
    steps.forEach((step) => step(place));

/** What comes to pass with a file, step by step. Each is told, and so is a write afterwards. */
const SURVIVED: readonly (readonly [what: string, steps: readonly Step[]])[] = [
  ["being deleted and made again in a moment", [atOnce(remove, make)]],
  ["the end of its directory, and of the one around that", [end("a/b"), make, append, end("a"), make]],
  ["a directory that is gone for an instant only", [atOnce(end("a"), make), append, atOnce(end("a"), make)]],
  ["the end of the root itself", [end("."), make]],
];

describe.concurrent("a watched file", () => {
  it("is told of many writes in a moment together", async () => {
    const place = createPlace();
    const heard = await place.watch(place.file);
    for (let count = 0; count < 20; count += 1) appendFileSync(place.file, "x");
    // Once, unless a busy machine takes longer over them than a moment.
    expect(await heard.burst()).toBeLessThan(4);
    writeFileSync(place.at("a/b/other"), "x");
    expect(await heard.settled()).toBe(0);
  });

  it("counts from the call on, not from when the system is ready", async () => {
    const place = createPlace();
    const heard = new Heard();
    place.watching.watch(place.file, heard.changed);
    writeFileSync(place.file, "two");
    expect(await heard.next()).toBe("told");
  });

  it("counts from the call on, even if its directory was watched before", async () => {
    const place = createPlace();
    await place.watch(place.at("a/b/other"));
    const heard = new Heard();
    place.watching.watch(place.file, heard.changed);
    writeFileSync(place.file, "two");
    expect(await heard.next()).toBe("told");
  });

  it.each(SURVIVED)("survives %s", async (_, steps) => {
    const place = createPlace();
    const heard = await place.watch(place.file);
    for (const step of [...steps, append]) {
      step(place);
      expect(await heard.next()).toBe("told");
    }
  });

  it("survives being moved away and back", async () => {
    const place = createPlace();
    const heard = await place.watch(place.file);
    renameSync(place.file, place.at("away"));
    expect(await heard.next()).toBe("told");
    appendFileSync(place.at("away"), "elsewhere");
    expect(await heard.settled()).toBe(0);
    renameSync(place.at("away"), place.file);
    expect(await heard.next()).toBe("told");
    appendFileSync(place.file, "!");
    expect(await heard.next()).toBe("told");
  });

  it("is the one at the path when a directory above is swapped for another", async () => {
    const place = createPlace();
    const heard = await place.watch(place.file);
    mkdirSync(place.at("twin/b"), { recursive: true });
    writeFileSync(place.at("twin/b/file"), "twin");
    renameSync(place.at("a"), place.at("old"));
    renameSync(place.at("twin"), place.at("a"));
    expect(await heard.next()).toBe("told");
    appendFileSync(place.file, "!");
    expect(await heard.next()).toBe("told");
    appendFileSync(place.at("old/b/file"), "!");
    expect(await heard.settled()).toBe(0);
  });

  it("is nothing to tell of if it was there for a moment only", async () => {
    const place = createPlace();
    const heard = await place.watch(place.at("a/moment"));
    writeFileSync(place.at("a/moment"), "x");
    unlinkSync(place.at("a/moment"));
    expect(await heard.settled()).toBe(0);
    writeFileSync(place.at("a/moment"), "x");
    expect(await heard.next()).toBe("told");
  });

  it("is told of while it never comes to rest", async ({ onTestFinished }) => {
    const place = createPlace();
    const heard = await place.watch(place.file);
    const writing = setInterval(() => appendFileSync(place.file, "x"), 5);
    onTestFinished(() => clearInterval(writing));
    // `expect.poll` takes the end of a test beside this one for the end of this one, and refuses.
    await vi.waitFor(() => expect(heard.count).toBeGreaterThan(1), { timeout: 60_000 });
  });

  needs(it, "notices under every name of a file")(
    "is told of when it was written under another of its names",
    async () => {
      const place = createPlace();
      linkSync(place.file, place.at("twin"));
      const heard = await place.watch(place.file);
      appendFileSync(place.at("twin"), "!");
      expect(await heard.next()).toBe("told");
    },
  );
});

describe.concurrent("a watched directory", () => {
  it("does not tell of what this server itself puts there for a while", async () => {
    const place = createPlace();
    const heard = await place.watch(place.at("a"));
    writeFileSync(place.at("a/.x.0123456789ab.suite-tmp"), "x");
    mkdirSync(place.at("a/.suite-trash"));
    expect(await heard.settled()).toBe(0);
    writeFileSync(place.at("a/x"), "x");
    expect(await heard.next()).toBe("told");
  });
});

describe.concurrent("watching", () => {
  it("goes on for whoever comes back", async () => {
    const place = createPlace();
    for (let round = 0; round < 3; round += 1) {
      const heard = new Heard();
      const stop = place.watching.watch(place.file, heard.changed);
      await heard.settled();
      appendFileSync(place.file, "!");
      expect(await heard.next()).toBe("told");
      stop();
      expect(place.watching.directories).toBe(0);
    }
  });

  it("has a limit, which says what to do", () => {
    const place = createPlace();
    const small = new PathWatch({ guard: () => place.guard, mostPaths: 2 });
    const stop = small.watch(place.file, () => undefined);
    small.watch(place.at("a"), () => undefined);
    expect(() => small.watch(place.root, () => undefined)).toThrow(
      expect.objectContaining({ code: "unavailable", hint: expect.stringContaining("Unsubscribe") }),
    );
    stop();
    small.watch(place.root, () => undefined);
    small.close();
    expect(small.directories).toBe(0);
  });

  it("needs a boundary, and follows it", async () => {
    const place = createPlace();
    const heard = await place.watch(place.file);
    place.guard = new PathGuard({ roots: [place.at("a")] });
    appendFileSync(place.file, "!");
    expect(await heard.next()).toBe("told");
    place.guard = undefined;
    expect(() => place.watching.watch(place.root, () => undefined)).toThrow(
      expect.objectContaining({ code: "unavailable" }),
    );
    appendFileSync(place.file, "!");
    expect(await heard.next()).toBe("told");
    expect(place.watching.directories).toBe(0);
  });
});

describe.concurrent("watched roots", () => {
  it("count from the call on, even if they were watched for somebody else before", async () => {
    const place = createPlace();
    await place.watch(place.at("x"));
    const heard = new Heard();
    place.watching.watchTops([place.root], heard.changed);
    writeFileSync(place.at("new"), "x");
    expect(await heard.next()).toBe("told");
  });

  it("are forgotten, the oldest first, when there are too many", async () => {
    const place = createPlace();
    const heard = new Heard();
    const roots = Array.from({ length: 65 }, (_, at) => join(place.base, "roots", `${at}`));
    for (const root of roots) mkdirSync(root, { recursive: true });
    place.guard = new PathGuard({ roots });
    for (const root of roots) place.watching.watchTops([root], heard.changed);
    writeFileSync(join(roots[64] ?? "", "new"), "x");
    expect(await heard.next()).toBe("told");
    expect(place.watching.directories).toBe(64);
    writeFileSync(join(roots[0] ?? "", "new"), "x");
    expect(await heard.settled()).toBe(0);
  });
});
