import { lstatSync, lutimesSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { ask, callTool, codeOf, openFilesystem } from "./talk.ts";
import { findAllowed, findTouched, MISSING, THERE, toComparable, tryAll } from "./untouched.ts";
import { WAYS, type Way } from "./ways.ts";
import { World } from "./world.ts";
import { describeOnUnix } from "../support/programs.ts";

const followers = WAYS.filter(({ takesLinks, isSilent }) => !takesLinks && !isSilent);
const takers = WAYS.filter(({ takesLinks }) => takesLinks);
const silent = WAYS.filter(({ isSilent }) => isSilent);

/** Each plants what it needs and gives where a link called `way` is to lead. */
const TARGETS: { readonly [name: string]: (world: World) => string } = {
  "a file outside": ({ outside }) => join(outside, "file"),
  "a directory outside": ({ outside }) => join(outside, "deep"),
  "a file outside, relative": () => "../outside/file",
  "nothing outside": ({ outside }) => join(outside, "none"),
  "nothing outside, below nothing": ({ outside }) => join(outside, "none/none/none"),
  "nothing outside, relative": () => "../outside/none",
  "a directory outside, relative": () => "../outside",
  "the directory above": () => "..",
  "the whole disk": () => "/",
  "a sibling whose name begins like the root": ({ root }) => `${root}-evil/file`,
  "below a file outside": ({ outside }) => join(outside, "file/below"),
  "a link outside": ({ outside }) => (symlinkSync("file", join(outside, "link")), join(outside, "link")),
  "a link outside that leads in again": ({ outside, root }) => {
    symlinkSync(join(root, "companion.txt"), join(outside, "back"));
    return join(outside, "back");
  },
  "out and in again": () => "../outside/deep/../../root/companion.txt",
  "a circle outside": ({ outside }) => (
    symlinkSync("circle", join(outside, "circle")),
    join(outside, "circle")
  ),
  "a circle through the root": ({ outside, root }) => (
    symlinkSync(join(root, "way"), join(outside, "round")),
    join(outside, "round")
  ),
  "a chain of links": (world) => {
    for (let index = 0; index < 20; index += 1) world.link(`chain${index + 1}`, `chain${index}`);
    world.link(join(world.outside, "file"), "chain20");
    return "chain0";
  },
  "a link in a directory": (world) => (world.link("../../outside", "sub/link"), "sub/link/file"),
  "the server's own memory": () => "/proc/self/environ",
  "a descriptor of the server": () => "/proc/self/fd/1",
  "a device": () => "/dev/zero",
};

describeOnUnix("symbolic links", () => {
  describe("a link that leads out", () => {
    it("is not followed, and what it leads to stays, wherever it leads", async () => {
      const world = new World();
      const server = await openFilesystem(world);
      for (const [name, toTarget] of Object.entries(TARGETS)) {
        world.clear();
        world.write("companion.txt");
        const target = toTarget(world);
        world.link(target, "way");
        const before = world.observe();
        // Neither it nor what is below it.
        for (const path of ["way", "way/", "way/file", "way/a/b", `${world.root}/./way/er/../er/file`]) {
          const outcomes = await tryAll(server, world, path, followers);
          expect.soft(findAllowed(outcomes, ["permission_denied"]), name).toEqual([]);
        }
        for (const path of ["way/file", "way/a/b"]) {
          const outcomes = await tryAll(server, world, path, takers);
          expect.soft(findAllowed(outcomes, ["permission_denied"]), name).toEqual([]);
        }
        const completed = await tryAll(server, world, `${world.root}/way/`, silent);
        expect.soft(findAllowed(completed, []), name).toEqual([]);
        expect(readlinkSync(world.at("way")), name).toBe(target);
        expect.soft(findTouched(world, before, server), name).toEqual([]);
        // To whoever lists, walks, copies and searches, it stays a link.
        const outcomes = await tryAll(server, world, world.root, WAYS.filter(isHarmless));
        expect.soft(outcomes.filter(({ code }) => code === undefined).length, name).toBeGreaterThan(5);
        await callTool(server, "copy_file", { source: "sub", destination: "copy" });
        // What is outside has it, too, and would count.
        const replacing = { path: ".", pattern: "i", replacement: "I", expected_count: 1 };
        expect.soft(codeOf(await callTool(server, "replace_in_files", replacing)), name).toBeUndefined();
        expect.soft(readFileSync(world.at("companion.txt"), "utf8"), name).toBe("a companIon\n");
        await ask(server, "resources/list", {});
        expect.soft(findTouched(world, before, server), name).toEqual([]);
        // It is itself what is described, moved and removed.
        for (const way of takers) {
          rmSync(world.at("way"), { force: true });
          world.link(target, "way");
          await tryAll(server, world, "way", [way]);
          expect.soft(findTouched(world, before, server), `${name}, ${way.name}`).toEqual([]);
        }
        // All of it has been looked at.
        server.heard.length = 0;
      }
    });
  });

  const isHarmless = ({ writes, of }: Way): boolean => !writes && of !== "files";

  describe("whether there is something at the end of a link that leads out", () => {
    const both = (world: World, target: (name: string) => string): void => {
      for (const name of [THERE, MISSING]) {
        world.link(target(name), name);
        lutimesSync(world.at(name), 1, 1);
      }
    };

    const LEADING: { readonly [what: string]: (world: World, name: string) => string } = {
      "a file": ({ outside }, name) => join(outside, name),
      "a file, relative": (_, name) => `../outside/${name}`,
      "a directory": ({ outside }, name) => join(outside, "folders", name),
      "a directory on the way out and in again": (_, name) =>
        `../outside/folders/${name}/../../../root/companion.txt`,
      "a directory on the way to nothing": ({ root }, name) => `../outside/folders/${name}/../..${root}/none`,
    };

    it("is not told, whatever it is", async () => {
      const world = new World();
      world.plantOutside(`outside/${THERE}`);
      mkdirSync(join(world.outside, "folders", THERE), { recursive: true });
      const server = await openFilesystem(world);
      const before = world.observe();
      const [readers, writers] = [WAYS.filter(({ writes }) => !writes), WAYS.filter(({ writes }) => writes)];
      for (const [what, target] of Object.entries(LEADING)) {
        world.clear();
        both(world, (name) => target(world, name));
        for (const path of ["", "/", "/below", "/file/below"]) {
          // Of the link itself, writers make something else.
          const ways = path.length < 2 ? readers : [...readers, ...writers];
          const there = await tryAll(server, world, `${world.root}/${THERE}${path}`, ways);
          const missing = await tryAll(server, world, `${world.root}/${MISSING}${path}`, ways);
          expect.soft(there.map(toComparable), what).toEqual(missing.map(toComparable));
        }
        expect.soft(findTouched(world, before, server), what).toEqual([]);
      }
    });
  });

  describe("links inside", () => {
    it("that lead in circles are told, by every way", async () => {
      const world = new World();
      world.link("two", "one");
      world.link("one", "two");
      world.link("self/x", "self");
      const server = await openFilesystem(world);
      const before = world.observe();
      for (const path of ["one", "self", "one/below", "self/below"]) {
        expect(
          findAllowed(await tryAll(server, world, path, followers), [
            "invalid_input",
            "permission_denied",
            "not_found",
          ]),
        ).toEqual([]);
      }
      expect(findTouched(world, before, server)).toEqual([]);
    });

    it("that dangle are written through to where they lead, inside", async () => {
      const world = new World();
      mkdirSync(world.at("real"));
      world.link("real/new", "dangling");
      world.link("real/none/new", "deeper");
      const server = await openFilesystem(world);
      expect(
        codeOf(await callTool(server, "write_file", { path: "dangling", content: "x" })),
      ).toBeUndefined();
      expect(readFileSync(world.at("real/new"), "utf8")).toBe("x");
      expect(lstatSync(world.at("dangling")).isSymbolicLink()).toBe(true);
      expect(codeOf(await callTool(server, "write_file", { path: "deeper", content: "x" }))).toBeUndefined();
      expect(readFileSync(world.at("real/none/new"), "utf8")).toBe("x");
    });

    it("do not come out of the root by being moved or copied", async () => {
      const world = new World();
      mkdirSync(world.at("a/b"), { recursive: true });
      world.write("outside/file", "inside");
      // Inside where it is; two levels up it leads out.
      world.link("../../outside/file", "a/b/link");
      const server = await openFilesystem(world);
      const before = world.observe();
      expect(
        codeOf(await callTool(server, "move_file", { source: "a/b/link", destination: "link" })),
      ).toBeUndefined();
      expect(codeOf(await callTool(server, "read_text_file", { path: "link" }))).toBe("permission_denied");
      const copied = await callTool(server, "copy_file", { source: "a", destination: "copy" });
      expect(codeOf(copied)).toBeUndefined();
      expect(findTouched(world, before, server)).toEqual([]);
    });
  });
});
