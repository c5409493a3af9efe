import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { PathGuard } from "@suite/server-kit/domain";
import { asNobody, needs } from "@suite/server-kit/testing";
import { describe, expect, it } from "vitest";

import { walk } from "../../../src/domain/walking/walk.ts";
import { createScratch } from "../reading/scratch.ts";
import { countOpen, paths } from "./walks.ts";

const { root, guard, write } = createScratch();
const never = new AbortController().signal;

describe("walk", () => {
  it("visits the entries of a directory by name, then its subdirectories", async () => {
    for (const path of ["order/b/2", "order/b/1", "order/a/x/y", "order/c", "order/.hidden"]) write(path);
    expect([...(await paths({ guard }, "order"))]).toEqual([
      ".hidden",
      "a/",
      "b/",
      "c",
      "a/x/",
      "a/x/y",
      "b/1",
      "b/2",
    ]);
  });

  it("goes as deep as it is told, and leaves out what it is told", async () => {
    write("deep/1/2/3/4");
    expect([...(await paths({ guard }, "deep", { depth: 2 }))]).toEqual(["1/", "1/2/"]);
    const exclude = (path: string): boolean => path === "1/2";
    expect([...(await paths({ guard }, "deep", { exclude }))]).toEqual(["1/"]);
  });

  it("stops when the visitor says so, and goes on behind or at a path, be it there or not", async () => {
    for (const path of ["on/a/1", "on/a/3", "on/b/1", "on/c"]) write(path);
    const seen: string[] = [];
    const { isStopped } = await walk(
      guard,
      guard.locate("on"),
      { signal: never, respectIgnore: true },
      ({ path }) => {
        seen.push(path);
        return path === "a/1" ? "stop" : undefined;
      },
    );
    expect([isStopped, seen]).toEqual([true, ["a", "b", "c", "a/1"]]);
    expect([...(await paths({ guard }, "on", { after: "a/1" }))]).toEqual(["a/3", "b/1"]);
    expect([...(await paths({ guard }, "on", { from: "a/1" }))]).toEqual(["a/1", "a/3", "b/1"]);
    expect([...(await paths({ guard }, "on", { after: "a/2" }))]).toEqual(["a/3", "b/1"]);
    expect([...(await paths({ guard }, "on", { after: "b" }))]).toEqual(["c", "a/1", "a/3", "b/1"]);
    expect([...(await paths({ guard }, "on", { after: "aa/gone/9" }))]).toEqual(["b/1"]);
  });

  needs(it, "symbolic links")(
    "tells of directories that vanish, or become links, before it enters them",
    async () => {
      for (const name of ["gone", "kept", "swapped"]) write(`moving/${name}/file`);
      write("outside/secret");
      const inside = new PathGuard({ roots: [join(root, "moving")] });
      const seen: string[] = [];
      const options = { signal: never, respectIgnore: true };
      const { skipped } = await walk(inside, inside.locate("."), options, ({ path }) => {
        seen.push(path);
        if (path === "gone") rmSync(join(root, "moving/gone"), { recursive: true });
        if (path === "swapped") {
          renameSync(join(root, "moving/swapped"), join(root, "was-swapped"));
          symlinkSync(join(root, "outside"), join(root, "moving/swapped"));
        }
        return undefined;
      });
      expect(seen).toEqual(["gone", "kept", "swapped", "kept/file"]);
      expect(skipped.listed).toEqual([
        { path: "gone", reason: "gone meanwhile" },
        { path: "swapped", reason: expect.stringMatching(/^replaced/) as string },
      ]);
    },
  );

  needs(it, "file modes")("tells of directories it may not read, and goes on", async () => {
    chmodSync(dirname(root), 0o755);
    for (const name of ["a", "closed", "z"]) write(`rights/${name}/file`);
    chmodSync(join(root, "rights/closed"), 0);
    const seen = await asNobody(() => paths({ guard }, "rights"));
    chmodSync(join(root, "rights/closed"), 0o755);
    expect([...seen]).toEqual(["a/", "closed/", "z/", "a/file", "z/file"]);
    expect(seen.result.skipped.listed).toEqual([{ path: "closed", reason: "permission denied" }]);
  });

  it("bounds how many troubles it lists, not how many it counts", async () => {
    for (let index = 0; index < 30; index += 1) write(`many/${index}/`);
    const { skipped } = await walk(
      guard,
      guard.locate("many"),
      { signal: never, respectIgnore: true },
      ({ name }) => {
        rmSync(join(root, "many", name), { recursive: true });
        return undefined;
      },
    );
    expect([skipped.total, skipped.listed.length]).toEqual([30, 20]);
  });

  it("goes no deeper than it can hold open, and says where", async () => {
    const names = Array.from({ length: 300 }, () => "d");
    write(`abyss/${names.join("/")}/`);
    const seen = await paths({ guard }, "abyss");
    expect(seen).toHaveLength(256);
    expect(seen.result.skipped.listed).toEqual([{ path: names.slice(0, 256).join("/"), reason: "too deep" }]);
  });

  it("leaves nothing open, however it ends", async () => {
    write("closed/1/2/3/file");
    const before = countOpen();
    const options = { signal: never, respectIgnore: true };
    const start = guard.locate("closed");
    await walk(guard, start, options, ({ name }) => (name === "3" ? "stop" : undefined));
    const failing = walk(guard, start, options, ({ name }) => {
      if (name === "file") throw new Error("broken");
      return undefined;
    });
    await expect(failing).rejects.toThrow("broken");
    await paths({ guard }, "closed");
    await expect.poll(countOpen).toBeLessThanOrEqual(before);
  });

  it("refuses a start that is no directory, or is not there", async () => {
    write("file");
    await expect(paths({ guard }, "file")).rejects.toMatchObject({ code: "invalid_input" });
    await expect(paths({ guard }, "nothing")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a walk through very much", () => {
  const COUNT = 20_000;
  mkdirSync(join(root, "huge"));
  for (let index = 0; index < COUNT; index += 1) writeFileSync(join(root, "huge", `${index}`), "");

  it("sees every entry of a huge directory", async () => {
    const seen = await paths({ guard }, "huge");
    expect([seen.length, new Set(seen).size]).toEqual([COUNT, COUNT]);
  });

  it("lets others run meanwhile, tells how far it is, and ends when it is cancelled", async () => {
    const controller = new AbortController();
    const progress: number[] = [];
    setImmediate(() => controller.abort(new Error("enough")));
    let seen = 0;
    const options = {
      signal: controller.signal,
      respectIgnore: true,
      onProgress: (done: number) => progress.push(done),
    };
    const walking = walk(guard, guard.locate("huge"), options, () => {
      seen += 1;
      // Work that takes long enough for a pause in any case.
      for (const end = performance.now() + 0.01; performance.now() < end;);
      return undefined;
    });
    await expect(walking).rejects.toThrow("enough");
    expect(seen).toBeLessThan(COUNT);
    expect(progress).toEqual([seen]);
  });
});
