import { readFileSync } from "node:fs";
import type { Fields } from "@suite/check/wires";
import { fromCursor, type JsonValue, type PlaceCheck, toCursor } from "@suite/server-kit/domain";
import { describe, expect, it } from "vitest";

import type { RawServer } from "../hostile/raw-server.ts";
import { callTool, codeOf, dataOf, openFilesystem } from "./talk.ts";
import { findTouched } from "./untouched.ts";
import { World } from "./world.ts";
import { itOnLinux } from "../support/programs.ts";

interface Paged {
  readonly tool: string;
  readonly args: Fields;
  /** What its cursors are bound to. They hold no secret: whoever reads the code can make one. */
  readonly about: (root: string) => JsonValue;
  /** Continues another call than this one. */
  readonly other: Fields;
}

const PAGED: readonly Paged[] = [
  {
    tool: "list_directory",
    args: { path: "tree", limit: 1 },
    about: () => ({ list: "tree", respectIgnore: true }),
    other: { path: "tree/a" },
  },
  {
    tool: "list_directory_with_sizes",
    args: { path: "tree", limit: 1 },
    about: () => ({ sizes: "tree", sort: "name", respectIgnore: true, recursive: false }),
    other: { sort: "size" },
  },
  {
    tool: "directory_tree",
    args: { path: "tree", limit: 1 },
    about: () => ({ tree: "tree", excluded: [], respectIgnore: true }),
    other: { depth: 1 },
  },
  {
    tool: "search_files",
    args: { path: "tree", pattern: "*", limit: 1 },
    about: () => ({ find: "tree", pattern: "*", excluded: [], respectIgnore: true }),
    other: { pattern: "**" },
  },
  {
    tool: "search_content",
    args: { path: "tree", pattern: "x", limit: 1 },
    about: () => ({
      content: "tree",
      pattern: "x",
      mode: "lines",
      regex: false,
      ignoresCase: false,
      include: [],
      excluded: [],
      respectIgnore: true,
    }),
    other: { pattern: "y" },
  },
  {
    tool: "read_text_file",
    args: { path: "large.txt" },
    about: (root) => ["text", `${root}/large.txt`, ""],
    other: { path: "tree/a/1" },
  },
  {
    tool: "diff_files",
    args: { old_path: "large.txt", new_path: "other.txt" },
    about: (root) => ["diff", `${root}/large.txt`, `${root}/other.txt`, 3],
    other: { context: 0 },
  },
];

const isJson: PlaceCheck<JsonValue> = (_value): _value is JsonValue => true;

async function plant(): Promise<{ world: World; server: RawServer }> {
  const world = new World();
  for (const name of ["a/1", "a/2", "b/1", "c"]) world.write(`tree/${name}`, "x\nxy\nx\n");
  world.write("large.txt", "a line of text\n".repeat(20_000));
  world.write("other.txt", "another line\n".repeat(20_000));
  return { world, server: await openFilesystem(world) };
}

describe("a cursor of any tool", () => {
  it("goes on with its own call, and with no other", async () => {
    const { world, server } = await plant();
    const before = world.observe();
    for (const { tool, args, other } of PAGED) {
      const cursor = dataOf(await callTool(server, tool, args))["next_cursor"] as string;
      expect(cursor, tool).toBeTypeOf("string");
      expect.soft(codeOf(await callTool(server, tool, { ...args, cursor })), tool).toBeUndefined();
      const mixed = await callTool(server, tool, { ...args, ...other, cursor });
      expect.soft(codeOf(mixed), tool).toBe("invalid_input");
      for (const paged of PAGED.filter((one) => one.tool !== tool)) {
        const answer = await callTool(server, paged.tool, { ...paged.args, cursor });
        expect.soft(codeOf(answer), `${tool}, for ${paged.tool}`).toBe("invalid_input");
      }
    }
    expect(findTouched(world, before, server)).toEqual([]);
  });

  it("that was edited is told from a real one, whatever is in it", async () => {
    const { world, server } = await plant();
    const before = world.observe();
    const places = [
      "../../outside",
      "../outside/file",
      -1,
      null,
      {},
      [],
      { path: "../../outside", line: -5 },
    ];
    for (const { tool, args } of PAGED) {
      const cursor = dataOf(await callTool(server, tool, args))["next_cursor"] as string;
      const digest = cursor.slice(0, 6);
      const edited = [
        "",
        "x",
        cursor.slice(0, -1),
        cursor.repeat(2),
        "A".repeat(1_000_000),
        ...places.map((place) => `${digest}~${Buffer.from(JSON.stringify(place)).toString("base64url")}`),
      ];
      for (const given of edited) {
        const answer = await callTool(server, tool, { ...args, cursor: given });
        expect.soft(codeOf(answer), `${tool}: ${given.slice(0, 80)}`).toBe("invalid_input");
      }
      expect.soft(codeOf(await callTool(server, tool, args)), tool).toBeUndefined();
    }
    expect(findTouched(world, before, server)).toEqual([]);
  });

  itOnLinux("that was forged well leads nowhere else, and harms nobody", async () => {
    const { world, server } = await plant();
    const before = world.observe();
    const { etag } = dataOf(await callTool(server, "read_text_file", { path: "large.txt" })) as {
      etag: string;
    };
    const places: readonly JsonValue[] = [
      "../../outside/file",
      { path: "../../outside/file", line: -5 },
      { name: "../outside", type: "file", size: -1 },
      { etag, left: null, from: -1e12, line: 1 },
      { etag, left: 1e300, from: 1e15, line: 1e15 },
      { etag, left: 1e300, until: 1e15 },
      [-1e12, etag],
      ...[-1, 1e15].map((position) => [Buffer.from(etag).readUIntBE(0, 3), 0, position, 1]),
      ...[-1, 1e15].map((position) => [Buffer.from(etag).readUIntBE(0, 3), 5, position]),
    ];
    // No tool's place has one of these forms.
    const misshapen: readonly JsonValue[] = [
      -1,
      0.5,
      null,
      true,
      {},
      [],
      [null],
      [[], {}],
      [-1, -1, -1],
      [[["x"]]],
    ];
    for (const { tool, args, about } of PAGED) {
      // A real one can be made this way, or the forged ones would prove nothing.
      const real = dataOf(await callTool(server, tool, args))["next_cursor"] as string;
      const place = fromCursor(real, about(world.root), isJson);
      expect(toCursor(place, about(world.root)), tool).toBe(real);
      for (const forged of places) {
        const answer = await callTool(server, tool, { ...args, cursor: toCursor(forged, about(world.root)) });
        expect.soft(codeOf(answer), `${tool}: ${JSON.stringify(forged)}`).not.toBe("internal");
      }
      for (const forged of misshapen) {
        const answer = await callTool(server, tool, { ...args, cursor: toCursor(forged, about(world.root)) });
        expect.soft(codeOf(answer), `${tool}: ${JSON.stringify(forged)}`).toBe("invalid_input");
      }
      expect.soft(codeOf(await callTool(server, tool, args)), tool).toBeUndefined();
    }
    expect((await server.memory()).peak).toBeLessThan(300);
    expect(findTouched(world, before, server)).toEqual([]);
  });
});

describe("if_match", () => {
  const ETAGS = ["", "*", '"*"', "W/x", "stat-x", "\0", "x".repeat(1_000_000), "../../outside/file"];

  it("holds back every write whose version is not the one that is there", async () => {
    const world = new World();
    world.write("file", "content\n");
    const server = await openFilesystem(world);
    const stale = dataOf(await callTool(server, "read_text_file", { path: "file" }))["etag"] as string;
    world.write("file", "changed by another\n");
    const writers: readonly (readonly [string, Fields])[] = [
      ["write_file", { content: "mine" }],
      ["append_file", { content: "mine" }],
      ["edit_file", { edits: [{ oldText: "changed", newText: "mine" }] }],
      ["delete_file", {}],
      ["delete_file", { permanent: true }],
    ];
    for (const [tool, args] of writers) {
      for (const etag of [stale, ...ETAGS.filter((given) => given !== "*")]) {
        const answer = await callTool(server, tool, { path: "file", ...args, if_match: etag });
        expect([tool, codeOf(answer)]).toEqual([tool, "precondition_failed"]);
      }
      const missing = await callTool(server, tool, { path: "missing", ...args, if_match: "*" });
      expect([tool, codeOf(missing)]).toEqual([
        tool,
        tool.startsWith("write") || tool.startsWith("append") ? "precondition_failed" : "not_found",
      ]);
    }
    expect(readFileSync(world.at("file"), "utf8")).toBe("changed by another\n");
  });

  it("tells two versions apart that were written within a tick of the clock, at any size", async () => {
    const world = new World();
    const server = await openFilesystem(world);
    for (const bytes of [10, 5 * 1024 * 1024]) {
      world.write("file", "a".repeat(bytes));
      const { etag } = dataOf(await callTool(server, "get_file_info", { path: "file" })) as { etag: string };
      world.write("file", "b".repeat(bytes));
      const args = { path: "file", content: "mine", if_match: etag };
      expect(codeOf(await callTool(server, "write_file", args))).toBe("precondition_failed");
    }
  });
});
