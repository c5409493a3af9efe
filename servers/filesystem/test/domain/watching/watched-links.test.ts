import { appendFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { needs } from "@suite/server-kit/testing";
import { afterAll, describe, expect, it } from "vitest";
import { createPlace, removePlaces } from "./place.ts";

afterAll(removePlaces);

describe.concurrent("a watched link", () => {
  needs(it, "symbolic links")("stands for what it leads to", async () => {
    const place = createPlace();
    const link = place.at("link");
    writeFileSync(place.at("target"), "x");
    symlinkSync("a/b/file", link);
    const heard = await place.watch(link);
    appendFileSync(place.file, "!");
    expect(await heard.next()).toBe("told");
    place.relink(link, "target");
    expect(await heard.next()).toBe("told");
    appendFileSync(place.at("target"), "!");
    expect(await heard.next()).toBe("told");
    appendFileSync(place.file, "!");
    expect(await heard.settled()).toBe(0);
  });

  needs(it, "symbolic links")("tells nothing of what is outside once it leads there", async () => {
    const place = createPlace();
    const link = place.at("link");
    symlinkSync("a/b/file", link);
    const heard = await place.watch(link);
    place.relink(link, "../outside/secret");
    expect(await heard.next()).toBe("told");
    appendFileSync(place.secret, "!");
    unlinkSync(place.secret);
    place.relink(link, "../outside/nothing");
    expect(await heard.settled()).toBe(0);
    place.relink(link, "a/b/file");
    expect(await heard.next()).toBe("told");
  });

  needs(it, "symbolic links")(
    "tells nothing of what is outside when a directory on the way is swapped",
    async () => {
      const place = createPlace();
      const heard = await place.watch(place.file);
      writeFileSync(join(place.base, "outside/file"), "x");
      renameSync(place.at("a/b"), place.at("a/old"));
      symlinkSync(join(place.base, "outside"), place.at("a/b"));
      expect(await heard.next()).toBe("told");
      appendFileSync(join(place.base, "outside/file"), "!");
      expect(await heard.settled()).toBe(0);
      expect(place.watching.directories).toBe(2);
    },
  );
});
