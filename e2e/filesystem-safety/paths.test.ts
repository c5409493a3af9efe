import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { callTool, codeOf, openFilesystem } from "./talk.ts";
import { findAllowed, findTouched, MISSING, THERE, toComparable, tryAll } from "./untouched.ts";
import { WAYS } from "./ways.ts";
import { World } from "./world.ts";

describe("a path that leads out, by every tool, resource, prompt and completion", () => {
  const attacks: { readonly [name: string]: (world: World) => string } = {
    "a sibling whose name begins like the root": ({ root }) => `${root}-evil/file`,
    "that sibling, relative": () => "../root-evil/file",
    "an absolute path": ({ outside }) => join(outside, "file"),
    "a directory": ({ outside }) => outside,
    "the directory above": () => "..",
    "the directory above, absolute": ({ root }) => `${root}/..`,
    "..": () => "../outside/file",
    ".. behind a directory that is there": () => "sub/../../outside/file",
    ".. behind one that is not": () => "missing/../../outside/deep/er/file",
    ".. with slashes too many": ({ root }) => `${root}//.././/outside///file`,
    ".. to the top and down again": ({ outside }) => `${"../".repeat(40)}${outside}/file`,
    "a file URI": ({ outside }) => `file://${outside}/file`,
    "a file URI with a host": ({ outside }) => `FILE://LOCALHOST${outside}/file`,
    "a file URI with dots": ({ root }) => `file://${root}/../outside/file`,
    "a file URI with encoded dots": ({ root }) => `file://${root}/%2e%2E/outside/file`,
    "the whole disk": () => "/",
    "a file of the system": () => "/etc/passwd",
    "the server's own memory": () => "/proc/self/environ",
    "the server's own root": ({ outside }) => `/proc/self/root${outside}/file`,
    "the server's own directory": () => "/proc/self/cwd",
    "a descriptor of the server": () => "/proc/self/fd/0",
    "a device": () => "/dev/zero",
  };

  it("is refused, however it is written", async () => {
    const world = new World();
    world.write("sub/file");
    const server = await openFilesystem(world);
    const before = world.observe();
    for (const [name, toPath] of Object.entries(attacks)) {
      const outcomes = await tryAll(server, world, toPath(world));
      // A path above the root is completed to the root; nothing else is told of what is there.
      const offered = outcomes.filter(
        ({ way, answer }) => way.isSilent && JSON.stringify(answer).includes("outside"),
      );
      expect.soft(offered, name).toEqual([]);
      const [resources, others] = [true, false].map((isResource) =>
        outcomes.filter(({ way }) => !way.isSilent && way.name.startsWith("resources/") === isResource),
      );
      expect.soft(findAllowed(others ?? [], ["permission_denied"]), name).toEqual([]);
      // What is not even spelled like a URI of this server is no resource.
      expect.soft(findAllowed(resources ?? [], ["permission_denied", "not_found"]), name).toEqual([]);
      expect.soft(findTouched(world, before, server), name).toEqual([]);
    }
  });
});

describe("a path that is none", () => {
  const attacks: { readonly [name: string]: (world: World) => string } = {
    "NUL in a name": ({ root }) => `${root}/a\0b`,
    "NUL before the way out": ({ root }) => `${root}/companion.txt\0/../../outside/file`,
    "half a character": ({ root }) => `${root}/\uD800`,
    "longer than the system takes": ({ root }) => `${root}/${"a/".repeat(2100)}`,
    "a megabyte": ({ root }) => `${root}/${"a".repeat(1_000_000)}`,
    "a home directory": () => "~/file",
    "a URI of another machine": ({ outside }) => `file://elsewhere${outside}/file`,
    "a URI with an encoded slash": ({ root }) => `file://${root}/..%2foutside%2ffile`,
    "a URI with an encoded NUL": ({ root }) => `file://${root}/a%00b`,
    "a URI with half an escape": ({ root }) => `file://${root}/%e`,
    "a URI with a query": ({ root }) => `file://${root}/companion.txt?x`,
  };

  it("is refused, whatever is wrong with it", async () => {
    const world = new World();
    const server = await openFilesystem(world);
    const before = world.observe();
    for (const [name, toPath] of Object.entries(attacks)) {
      const outcomes = await tryAll(server, world, toPath(world));
      // Where a path is not even a URI, there is no such resource.
      const refusals = ["invalid_input", "not_found", "permission_denied"];
      expect.soft(findAllowed(outcomes, refusals), name).toEqual([]);
      const invalid = outcomes.filter(({ code }) => code === "invalid_input");
      expect.soft(invalid.length, name).toBeGreaterThan(20);
      expect.soft(findTouched(world, before, server), name).toEqual([]);
    }
  });

  it("an empty one", async () => {
    const world = new World();
    const server = await openFilesystem(world);
    const before = world.observe();
    const ways = WAYS.filter(({ name, isSilent }) => !isSilent && !name.startsWith("resources/"));
    expect(findAllowed(await tryAll(server, world, "", ways), ["invalid_input"])).toEqual([]);
    expect(findTouched(world, before, server)).toEqual([]);
  });
});

describe("what is only a name", () => {
  const NAMES = [
    "~",
    "~root",
    "$HOME",
    "${HOME}",
    "%2e%2e",
    "%252e%252e",
    "..%2foutside",
    "..\\outside\\file",
    "...",
    ".. ",
    "..;",
    "\u2025",
    "\uFF0E\uFF0E",
    ".\u200B.",
    "\u202Etxt.elif",
    "..\u2044outside",
    "-rf",
    "a\nb",
    "\u001B[31mred",
    "CON",
    "a:b",
  ];

  it("is not there, is written in the root, and nowhere else", async () => {
    const world = new World();
    const server = await openFilesystem(world);
    const before = world.observe();
    const readers = WAYS.filter(
      ({ name, writes, isSilent }) => !writes && !isSilent && name !== "resources/subscribe",
    );
    for (const name of NAMES) {
      const inside = `${world.root}/${name}/outside/file`;
      for (const path of [`${world.root}/${name}`, inside]) {
        const outcomes = await tryAll(server, world, path, readers);
        expect.soft(findAllowed(outcomes, ["not_found"]), name).toEqual([]);
      }
      const written = await callTool(server, "write_file", { path: inside, content: "mine" });
      expect.soft(codeOf(written), name).toBeUndefined();
      expect(readFileSync(world.at(name, "outside/file"), "utf8")).toBe("mine");
      expect(readdirSync(world.base).toSorted()).toEqual(["outside", "root", "root-evil"]);
      expect.soft(findTouched(world, before, server), name).toEqual([]);
    }
  });

  it("two spellings of one letter are two files, and two roots", async () => {
    const [composed, decomposed] = ["caf\u00E9", "cafe\u0301"] as const;
    const world = new World(composed);
    world.plantOutside(`${decomposed}/file`);
    world.write(composed, "composed");
    const server = await openFilesystem(world);
    const before = world.observe();
    expect(
      findAllowed(
        await tryAll(
          server,
          world,
          join(world.base, decomposed, "file"),
          WAYS.filter(({ isSilent }) => !isSilent),
        ),
        ["permission_denied"],
      ),
    ).toEqual([]);
    const read = (name: string) => callTool(server, "read_text_file", { path: name });
    expect(codeOf(await read(decomposed))).toBe("not_found");
    expect(
      codeOf(await callTool(server, "write_file", { path: decomposed, content: "decomposed" })),
    ).toBeUndefined();
    expect(readFileSync(world.at(composed), "utf8")).toBe("composed");
    expect(readFileSync(world.at(decomposed), "utf8")).toBe("decomposed");
    expect(findTouched(world, before, server)).toEqual([]);
  });
});

describe("whether something is outside", () => {
  it("is not told by any way", async () => {
    const world = new World();
    for (const place of ["outside", "outside/deep/er", "root-evil"]) world.plantOutside(`${place}/${THERE}`);
    const server = await openFilesystem(world);
    const before = world.observe();
    for (const directory of [
      world.outside,
      "../outside/deep/er",
      `${world.root}-evil`,
      `file://${world.outside}`,
    ]) {
      for (const path of ["", "/below", "/below/that", "/.."]) {
        const there = await tryAll(server, world, `${directory}/${THERE}${path}`);
        const missing = await tryAll(server, world, `${directory}/${MISSING}${path}`);
        expect(there.map(toComparable)).toEqual(missing.map(toComparable));
      }
    }
    expect(findTouched(world, before, server)).toEqual([]);
  });
});
