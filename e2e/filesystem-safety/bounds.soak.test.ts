import { closeSync, ftruncateSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import type { Message } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { cpuOf } from "../support/processes.ts";
import { inSoak } from "../support/soak.ts";
import { findDivided, findTorn, plantAll, toCall } from "./self-describing.ts";
import { ask, callTool, codeOf, dataOf, openFilesystem } from "./talk.ts";
import { tryAll } from "./untouched.ts";
import { WAYS } from "./ways.ts";
import { World } from "./world.ts";
import { describeOnLinux, itOnUnix } from "../support/programs.ts";

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
/** In MiB. */
const MOST_MEMORY = 300;
/** What is read from end to end more than once: more than may be in memory. */
const TWIN_BYTES = inSoak(2 * GIB, 64 * MIB);

/** All holes but for its ends: it takes no room. */
function writeSparse(path: string, size: number): void {
  const fd = openSync(path, "w");
  writeSync(fd, "a first line\nanother\n");
  ftruncateSync(fd, size);
  writeSync(fd, "\nthe last line\n", size - 15);
  closeSync(fd);
}

function plantForest(world: World, files: number): void {
  for (let index = 0; index < files; index += 1) {
    world.write(`forest/${index % 50}/${index}.txt`, `${index} needle ${"hay ".repeat(200)}\n`.repeat(10));
  }
}

describeOnLinux("files of two gigabytes", () => {
  it("get bounded answers from every reader, with little memory", async () => {
    const world = new World();
    writeSparse(world.at("large"), 2 * GIB);
    for (const name of ["one", "twin"]) writeSparse(world.at(name), TWIN_BYTES);
    const server = await openFilesystem(world);
    const readers = WAYS.filter(({ writes, isSilent }) => !writes && !isSilent);
    const outcomes = await tryAll(server, world, world.at("large"), readers);
    expect(outcomes.filter(({ code }) => code === "internal" || code === "timeout")).toEqual([]);
    for (const args of [{ head: 5 }, { tail: 5 }, { start_line: 3 }, { start_line: 2, end_line: 2 }]) {
      const answer = await callTool(server, "read_text_file", { path: "large", encoding: "latin1", ...args });
      expect(codeOf(answer)).toBeUndefined();
    }
    for (const [tool, args] of [
      ["diff_files", { old_path: "one", new_path: "twin" }],
      ["hash_file", { path: "twin", algorithm: "md5" }],
      ["read_media_file", { path: "large", offset: GIB, length: 1024 }],
      ["search_content", { path: ".", pattern: "needle" }],
    ] as const) {
      expect([tool, codeOf(await callTool(server, tool, args))]).toEqual([tool, undefined]);
    }
    const largest = Math.max(...server.heard.map((message) => JSON.stringify(message).length));
    expect(largest).toBeLessThan(2 * 1024 * 1024);
    expect((await server.memory()).peak).toBeLessThan(MOST_MEMORY);
  });

  it("are not copied or edited, but appended to, replaced, moved, deleted and brought back", async () => {
    const world = new World();
    writeSparse(world.at("large"), 2 * GIB);
    const server = await openFilesystem(world);
    for (const [tool, args, code] of [
      ["copy_file", { source: "large", destination: "copy" }, "too_large"],
      ["append_file", { path: "large", content: "more" }, undefined],
      ["undo", { id: "last" }, undefined],
      ["edit_file", { path: "large", edits: [{ oldText: "first", newText: "" }] }, "too_large"],
      ["replace_in_files", { path: ".", pattern: "first", replacement: "" }, undefined],
      ["write_file", { path: "large", content: "small now\n" }, undefined],
      ["undo", { id: "last" }, undefined],
      ["move_file", { source: "large", destination: "moved" }, undefined],
      ["delete_file", { path: "moved" }, undefined],
      ["undo", { id: "last" }, undefined],
    ] as const) {
      expect([tool, codeOf(await callTool(server, tool, args))]).toEqual([tool, code]);
    }
    expect((await server.memory()).peak).toBeLessThan(MOST_MEMORY);
  });
});

describeOnLinux("a directory with very many names", () => {
  it("is listed page by page, each name once, with little memory", async () => {
    const world = new World();
    mkdirSync(world.at("huge"));
    const count = inSoak(20_000, 6000);
    for (let index = 0; index < count; index += 1)
      writeFileSync(world.at(`huge/${"n".repeat(100)}${index}`), "");
    const server = await openFilesystem(world);
    const seen = new Set<string>();
    let cursor: unknown;
    do {
      const args = { path: "huge", limit: 7000, ...(cursor !== undefined && { cursor }) };
      const page = dataOf(await callTool(server, "list_directory", args));
      for (const name of page["files"] as readonly string[]) seen.add(name);
      cursor = page["next_cursor"];
    } while (cursor !== undefined);
    expect(seen.size).toBe(count);
    for (const tool of ["list_directory_with_sizes", "directory_tree"]) {
      expect(codeOf(await callTool(server, tool, { path: "huge" }))).toBeUndefined();
    }
    const { error } = await ask(server, "resources/read", { uri: `file://${world.at("huge")}` });
    expect(error).toBeUndefined();
    expect((await server.memory()).peak).toBeLessThan(MOST_MEMORY);
  });
});

describeOnLinux("a thousand searches at once", () => {
  it("are all answered, or cancelled, with little memory", async () => {
    const world = new World();
    plantForest(world, inSoak(300, 60));
    const server = await openFilesystem(world);
    const before = server.heard.length;
    for (let id = 0; id < 1000; id += 1) {
      const [name, pattern] =
        id % 2 === 0 ? ["search_content", `needle${id}`] : ["search_files", `*${id}.txt`];
      const params = { name, arguments: { path: "forest", pattern } };
      server.say({ jsonrpc: "2.0", id, method: "tools/call", params });
      if (id % 5 === 0) server.notify("notifications/cancelled", { requestId: id });
    }
    const answers = (): readonly Message[] =>
      server.heard.slice(before).filter(({ method }) => method === undefined);
    const isCancelled = (id: unknown): boolean => Number(id) % 5 === 0;
    await server.until(() => answers().filter(({ id }) => !isCancelled(id)).length === 800, 120_000);
    expect(answers().filter((answer) => !isCancelled(answer.id) && codeOf(answer) !== undefined)).toEqual([]);
    expect(codeOf(await callTool(server, "list_allowed_directories", {}))).toBeUndefined();
    expect((await server.memory()).peak).toBeLessThan(MOST_MEMORY);
  });

  it("stop at once when they are cancelled", async () => {
    const world = new World();
    for (const name of ["a", "b"]) writeSparse(world.at(name), 2 * GIB);
    const server = await openFilesystem(world);
    const calls = [
      { name: "hash_file", arguments: { path: "a" } },
      { name: "diff_files", arguments: { old_path: "a", new_path: "b" } },
      { name: "read_text_file", arguments: { path: "a", encoding: "latin1", start_line: 1_000_000 } },
    ];
    for (const [id, params] of calls.entries())
      server.say({ jsonrpc: "2.0", id, method: "tools/call", params });
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (const id of calls.keys()) server.notify("notifications/cancelled", { requestId: id });
    await ask(server, "ping");
    await new Promise((resolve) => setTimeout(resolve, 500));
    const ticks = cpuOf(server.pid);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    // In hundredths of a second: a server that goes on would have used most of them.
    expect(cpuOf(server.pid) - ticks).toBeLessThan(30);
  });
});

describe("the end", () => {
  it("comes soon when the client goes in the middle of a walk", async () => {
    const world = new World();
    plantForest(world, 3000);
    for (const pattern of ["(ha+y )+never", "never"]) {
      const server = await openFilesystem(world);
      for (let id = 0; id < 20; id += 1) {
        const params = { name: "search_content", arguments: { path: ".", pattern, regex: true } };
        server.say({ jsonrpc: "2.0", id, method: "tools/call", params });
      }
      await ask(server, "ping");
      const start = performance.now();
      expect(await server.leave()).toEqual({ code: 0, signal: null });
      expect(performance.now() - start).toBeLessThan(20_000);
    }
  });

  itOnUnix("comes when it is asked for in the middle of writes, and leaves nothing half done", async () => {
    for (const heard of inSoak([0, 15, 30, 45, 60], [0, 45])) {
      const world = new World();
      plantAll(world);
      const server = await openFilesystem(world);
      const before = server.heard.length;
      for (let index = 0; index < 200; index += 1) {
        server.say({ jsonrpc: "2.0", id: index, method: "tools/call", params: toCall(index, index) });
      }
      await server.until(() => server.heard.length - before > heard);
      const start = performance.now();
      server.child.kill("SIGTERM");
      expect(await server.ended).toEqual({ code: 0, signal: null });
      expect(performance.now() - start).toBeLessThan(20_000);
      expect(findTorn(world)).toEqual([]);
      const next = await openFilesystem(world);
      await expect.poll(() => world.findLeftovers()).toEqual([]);
      expect([findTorn(world), findDivided(world)]).toEqual([[], []]);
      expect(codeOf(await callTool(next, "undo", {}))).toBeUndefined();
      await next.stop();
    }
  });
});
