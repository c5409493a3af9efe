import { execFileSync } from "node:child_process";
import { linkSync, lstatSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

import { callTool, codeOf, dataOf, openFilesystem } from "./talk.ts";
import { findAllowed, findTouched, tryAll } from "./untouched.ts";
import { COMPANION, WAYS } from "./ways.ts";
import { World } from "./world.ts";
import { describeOnUnix } from "../support/programs.ts";

async function listen(path: string): Promise<void> {
  const server = createServer();
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  await new Promise<void>((resolve) => server.listen(path, resolve));
}

/** What is there without being a file. As anybody but root, no device can be made. */
const KINDS: { readonly [kind: string]: (path: string) => void | Promise<void> } = {
  "named pipe": (path) => void execFileSync("mkfifo", [path]),
  socket: listen,
  ...(process.getuid?.() === 0 && {
    device: (path: string) => void execFileSync("mknod", [path, "c", "1", "5"]),
  }),
};

describeOnUnix("what is no file", () => {
  describe.each(Object.keys(KINDS))("a %s", (kind) => {
    const plant = async () => {
      const world = new World();
      mkdirSync(world.at("special"));
      await KINDS[kind]?.(world.at("special/thing"));
      world.link("special/thing", "link");
      return { world, before: world.observe(), server: await openFilesystem(world) };
    };
    /** These do not open it: one waits for what becomes of it, one puts something else in its place. */
    const others = new Set(["resources/subscribe", "copy_file destination"]);
    const content = WAYS.filter(
      ({ name, takesLinks, isSilent }) => !takesLinks && !isSilent && !others.has(name),
    );

    it("is never opened, by its name or through a link, and nobody waits for it", async () => {
      const { world, before, server } = await plant();
      for (const path of [
        world.at("special/thing"),
        world.at("link"),
        `file://${world.root}/special/thing`,
      ]) {
        const outcomes = await tryAll(server, world, path, content);
        expect(
          findAllowed(
            outcomes.filter(({ way }) => !way.name.startsWith("replace_in_files")),
            ["unsupported", "invalid_input", "conflict"],
          ),
        ).toEqual([]);
      }
      expect(findTouched(world, before, server)).toEqual([]);
    });

    it("is shown in listings, and left out of what goes through a tree", async () => {
      const { world, before, server } = await plant();
      world.write("special/file", "marker\n");
      const walkers = WAYS.filter(({ writes, of }) => !writes && of !== "files");
      const outcomes = await tryAll(server, world, world.at("special"), walkers);
      const failed = outcomes.filter(({ code }) => code !== undefined);
      expect(failed.map(({ way }) => way.name)).toEqual([]);
      const listed = dataOf(await callTool(server, "list_directory", { path: "special" }));
      expect(listed["other"]).toContain("thing");
      const copied = await callTool(server, "copy_file", { source: "special", destination: "copy" });
      expect([codeOf(copied), dataOf(copied)["entries"]]).toEqual([undefined, 2]);
      expect(findTouched(world, before, server)).toEqual([]);
    });

    it("can be described, moved, removed, and brought back", async () => {
      const { world, server } = await plant();
      const steps = [
        ["get_file_info", { path: "special/thing" }],
        ["move_file", { source: "special/thing", destination: "special/moved" }],
        ["delete_file", { path: "special/moved" }],
        ["undo", { id: "last" }],
      ] as const;
      for (const [name, args] of steps) {
        expect([name, codeOf(await callTool(server, name, args))]).toEqual([name, undefined]);
      }
      expect(lstatSync(world.at("special/moved")).isFile()).toBe(false);
    });
  });

  describe("another name of a file outside", () => {
    // Nothing tells it from a first name. Whoever can make one could also copy the file; but nothing is written through it.
    it("is read, and replaced without a change to the other name", async () => {
      const world = new World();
      const other = join(world.outside, "file");
      linkSync(other, world.at("hard"));
      const before = readFileSync(other, "utf8");
      const server = await openFilesystem(world);
      const changes = [
        ["write_file", { path: "hard", content: "new\n" }],
        ["undo", { id: "last" }],
        ["append_file", { path: "hard", content: "more\n" }],
        ["edit_file", { path: "hard", edits: [{ oldText: "more", newText: "less" }] }],
        ["replace_in_files", { path: ".", pattern: "less", replacement: "fewer", expected_count: 1 }],
        ["move_file", { source: COMPANION, destination: "hard", overwrite: true }],
        ["delete_file", { path: "hard" }],
        ["undo", { id: "last" }],
        ["delete_file", { path: "hard", permanent: true }],
      ] as const;
      world.write(COMPANION);
      for (const [name, args] of changes) {
        const { mtimeMs } = statSync(other);
        expect([name, codeOf(await callTool(server, name, args))]).toEqual([name, undefined]);
        expect([name, readFileSync(other, "utf8"), statSync(other).mtimeMs]).toEqual([name, before, mtimeMs]);
      }
      expect(statSync(other).nlink).toBe(1);
    });

    it("is told to whoever asks, and when it is replaced", async () => {
      const world = new World();
      linkSync(join(world.outside, "file"), world.at("hard"));
      const server = await openFilesystem(world);
      expect(dataOf(await callTool(server, "get_file_info", { path: "hard" }))["links"]).toBe(2);
      const written = await callTool(server, "write_file", { path: "hard", content: "new\n" });
      expect(dataOf(written)["note"]).toContain("hard links");
    });
  });
});
