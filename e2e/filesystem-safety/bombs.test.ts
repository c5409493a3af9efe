import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Fields } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import type { RawServer } from "../hostile/raw-server.ts";
import { mainThreadCpuOf } from "../support/processes.ts";
import { BOMBS, type Bomb } from "./bombs.ts";
import { ask, callTool, codeOf, dataOf, openFilesystem } from "./talk.ts";
import { findTouched } from "./untouched.ts";
import { World } from "./world.ts";
import { itOnLinux } from "../support/programs.ts";

/** How long the server may make others wait for an answer, in hundredths of a second that it works. */
const MOST_WAIT = 800;
const MOST_MEMORY = 450;

interface Pinged {
  /** How long the server worked at worst until it answered. What others do on this machine does not count. */
  readonly worst: number;
  /** How often it answered. */
  readonly pings: number;
}

async function whilePinging(server: RawServer, work: Promise<unknown>): Promise<Pinged> {
  const state = { isOver: false };
  let [worst, pings] = [0, 0];
  const finished = work.finally(() => (state.isOver = true));
  while (!state.isOver) {
    const start = mainThreadCpuOf(server.pid);
    await ask(server, "ping");
    worst = Math.max(worst, mainThreadCpuOf(server.pid) - start);
    pings += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await finished;
  return { worst, pings };
}

describe("what was made to take long", () => {
  const plant = (): World => {
    const world = new World();
    world.write("small", "s");
    world.write("text", "ab".repeat(500_000));
    world.write("short", "a\n".repeat(150_000));
    for (let index = 0; index < 200; index += 1) world.write(`names/${"ab".repeat(120)}${index}`, "");
    mkdirSync(world.at("names", ...Array.from({ length: 60 }, () => "a")), { recursive: true });
    return world;
  };

  /** Each of many edits makes the text anew. Only there for who needs it, because others would search it. */
  const plantLines = (world: World, { args }: Bomb): void => {
    const lines = { lines: 30_000, edited: 10_000 }[String(args["path"])];
    if (lines !== undefined)
      world.write(String(args["path"]), `first\n${`${"abcdefgh ".repeat(40)}\n`.repeat(lines)}`);
  };

  // All by one server: none of them leaves it with more memory than the next one can do with.
  itOnLinux("is answered, and others are too", async () => {
    const world = plant();
    const server = await openFilesystem(world);
    const before = world.observe();
    await ask(server, "ping");
    for (const bomb of BOMBS) {
      const { what, tool, args, outcomes, leastPings = 0 } = bomb;
      const label = `${what}, for ${tool}`;
      plantLines(world, bomb);
      let code: string | undefined;
      const work = callTool(server, tool, args).then((answer) => (code = codeOf(answer) ?? "done"));
      const { worst, pings } = await whilePinging(server, work);
      expect.soft(outcomes, label).toContain(code);
      expect.soft(worst, label).toBeLessThan(MOST_WAIT);
      expect.soft(pings, label).toBeGreaterThanOrEqual(leastPings);
      expect.soft((await server.memory()).peak, label).toBeLessThan(MOST_MEMORY);
      expect.soft(world.findLeftovers(), label).toEqual([]);
      expect.soft(findTouched(world, before, server), label).toEqual([]);
      for (const name of ["lines", "edited", "new"]) rmSync(world.at(name), { force: true });
    }
  });
});

describe("rules that came with a repository and were made to take long", () => {
  const NAMES = Array.from({ length: 120 }, (_, index) => `${"a".repeat(240)}${index}`);
  const RULES: { readonly [what: string]: string } = {
    "a line of blanks": `a${" ".repeat(60_000)}b\n`,
    "stars around what nearly fits": `*${"a".repeat(120)}b*\n`.repeat(500),
    "any characters between stars": `*${"?".repeat(120)}b*\n`.repeat(500),
    brackets: `*${"[ab]".repeat(30)}c*\n`.repeat(500),
    directories: `${"**/a/".repeat(24)}b\n`.repeat(500),
    "a megabyte": "*aaab*\n".repeat(150_000),
  };

  itOnLinux(".gitignore rules hold up no other call", async () => {
    const world = new World();
    const server = await openFilesystem(world);
    for (const [what, rules] of Object.entries(RULES)) {
      // Another name each time: what a server may remember of one says nothing about the next.
      const path = world.at(what);
      for (const name of NAMES) world.write(`${what}/${name}`, "");
      for (let depth = 0; depth < 8; depth += 1)
        world.write(`${what}/${"a/".repeat(depth)}.gitignore`, rules);
      const calls = [
        callTool(server, "list_directory", { path }),
        callTool(server, "directory_tree", { path }),
        ask(server, "resources/read", { uri: pathToFileURL(path).href }),
        ask(server, "resources/list"),
        ask(server, "completion/complete", {
          ref: { type: "ref/prompt", name: "explain_file" },
          argument: { name: "path", value: `${path}/a` },
        }),
      ];
      const answers = Promise.all(calls);
      expect.soft((await whilePinging(server, answers)).worst, what).toBeLessThan(MOST_WAIT);
      expect.soft((await answers).map(codeOf), what).toEqual(calls.map(() => undefined));
      rmSync(path, { recursive: true });
    }
  });
});

describe("a tree deeper than paths can be", () => {
  const DEPTH = 2000;

  function plantDeep(world: World): void {
    const step = join(...Array.from({ length: 100 }, () => "d"));
    const here = process.cwd();
    mkdirSync(world.at("deep"));
    try {
      process.chdir(world.at("deep"));
      for (let level = 0; level < DEPTH; level += 100) {
        mkdirSync(step, { recursive: true });
        process.chdir(step);
      }
    } finally {
      process.chdir(here);
    }
  }

  it("is walked as far as it goes, measured, moved, deleted, and brought back", async () => {
    const world = new World();
    plantDeep(world);
    const server = await openFilesystem(world);
    const pages: Fields[] = [];
    do {
      const cursor = pages.at(-1)?.["next_cursor"];
      const tree = await callTool(server, "directory_tree", {
        path: "deep",
        ...(cursor === undefined ? {} : { cursor }),
      });
      expect(codeOf(tree)).toBeUndefined();
      pages.push(dataOf(tree));
    } while (pages.at(-1)?.["truncated"] === true && pages.length < DEPTH);
    expect(pages.flatMap(({ skipped }) => skipped ?? [])).toEqual([
      expect.objectContaining({ reason: "too deep" }),
    ]);
    for (const [name, args] of [
      ["search_files", { path: "deep", pattern: "*" }],
      ["search_content", { path: "deep", pattern: "x" }],
      ["move_file", { source: "deep", destination: "moved" }],
      ["delete_file", { path: "moved", recursive: true }],
      ["undo", { id: "last" }],
    ] as const) {
      expect([name, codeOf(await callTool(server, name, args))]).toEqual([name, undefined]);
    }
    const removed = await callTool(server, "delete_file", {
      path: "moved",
      recursive: true,
      permanent: true,
    });
    expect([codeOf(removed), dataOf(removed)["entries_inside"]]).toEqual([undefined, DEPTH]);
    expect(world.findLeftovers()).toEqual([]);
  });

  it("is not made by one call", async () => {
    const world = new World();
    const server = await openFilesystem(world);
    const path = "d/".repeat(1900);
    expect(codeOf(await callTool(server, "create_directory", { path }))).toBe("invalid_input");
    const written = callTool(server, "write_file", {
      path: `${path}file`,
      content: "",
    });
    expect(codeOf(await written)).toBe("invalid_input");
    expect(readdirSync(world.root)).toEqual([]);
  });
});

describe("edits of one place", () => {
  it("apply one after the other, and a later one that finds nothing takes all of them back", async () => {
    const world = new World();
    world.write("file", "one two three\n");
    const server = await openFilesystem(world);
    const editFile = (...pairs: readonly (readonly [string, string])[]) =>
      callTool(server, "edit_file", {
        path: "file",
        edits: pairs.map(([oldText, newText]) => ({ oldText, newText })),
      });
    expect(codeOf(await editFile(["one two", "1 2"], ["two three", "2 3"]))).toBe("not_found");
    expect(readFileSync(world.at("file"), "utf8")).toBe("one two three\n");
    expect(codeOf(await editFile(["one two", "1 2"], ["2 three", "2 3"]))).toBeUndefined();
    expect(readFileSync(world.at("file"), "utf8")).toBe("1 2 3\n");
  });
});
