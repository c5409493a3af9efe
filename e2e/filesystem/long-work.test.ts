import { join } from "node:path";

import { faultsIn } from "@suite/check";
import {
  BOTH_ENDS,
  callTool,
  type Fields,
  isAnswerTo,
  isGood,
  isModern,
  isOf,
  META_LOG_LEVEL,
  textOf,
} from "@suite/check/wires";
import { beforeAll, describe, expect, it } from "vitest";

import { errorOf } from "../support/calls.ts";
import type { Wire } from "../support/wire.ts";
import { createForest, FOREST_SIZE, writeHole } from "./forest.ts";
import { filesOpenIn } from "./process-files.ts";
import { createProject } from "./project.ts";
import { openFiles } from "./program.ts";

const BOTH_ERAS = ["2025-11-25", "2026-07-28"] as const;

let forest = "";
let hole = "";

beforeAll(() => {
  forest = createForest();
  // Nobody comes to the end of it: at a gibibyte a second it takes a quarter of an hour.
  hole = writeHole(join(forest, "hole.bin"), 1024);
});

/** Everything that walks, with nothing to find, so that all of it is walked through. */
const WALKS: Readonly<Record<string, Fields>> = {
  search_files: { pattern: "*.nothing" },
  search_content: { pattern: "nothing" },
  directory_tree: { exclude: ["*.txt"] },
  replace_in_files: { pattern: "nothing", replacement: "" },
};

const progressOf = (wire: Wire, token: unknown): readonly number[] =>
  wire.heard
    .filter(
      ({ method, params }) => method === "notifications/progress" && params?.["progressToken"] === token,
    )
    .map(({ params }) => Number(params?.["progress"]));

describe.each(BOTH_ENDS)("long work, in %s", (revision) => {
  it("says how far it is", async () => {
    const wire = await openFiles([forest], { revision });
    for (const [tool, args] of Object.entries(WALKS)) {
      const meta = { progressToken: `about ${tool}` };
      const response = await callTool(wire, tool, { path: forest, ...args }, { meta });
      expect(isGood(response), textOf(response)).toBe(true);
      const steps = progressOf(wire, meta.progressToken);
      expect(steps.length, tool).toBeGreaterThan(0);
      expect(steps.at(-1), tool).toBeLessThanOrEqual(FOREST_SIZE + 100);
    }
    // That it grows, and ends with the answer, is a rule for every conversation.
    expect(faultsIn(wire)).toEqual([]);
  });

  it("says nothing about it to those who did not ask", async () => {
    const wire = await openFiles([forest], { revision });
    await callTool(wire, "search_files", { path: forest, pattern: "*.nothing" });
    expect(wire.heard.filter(isOf("notifications/progress"))).toEqual([]);
  });

  it("ends at its deadline, by its kind", async () => {
    const wire = await openFiles([forest], { revision });
    const rows: Readonly<Record<string, Fields>> = { ...WALKS, hash_file: { path: hole } };
    for (const [tool, args] of Object.entries(rows)) {
      const meta = { "dev.suite/timeoutMs": 1 };
      const response = await callTool(wire, tool, { path: forest, ...args }, { meta });
      expect(response.result?.["isError"], tool).toBe(true);
      expect(errorOf(response), tool).toMatchObject({
        code: "timeout",
        retryable: true,
        details: { timeoutMs: 1 },
      });
      expect(textOf(response)).toMatch(/not done within 0\.001 seconds\.\nAsk for less at a time/);
    }
    await expect.poll(() => filesOpenIn(wire.pid)).not.toContain(hole);
    expect(faultsIn(wire)).toEqual([]);
  });
});

describe.each(BOTH_ERAS)("work that is called off, in %s", (revision) => {
  it("stops in the middle of a file", async () => {
    const wire = await openFiles([forest], { revision });
    const id = wire.send(
      "tools/call",
      { name: "hash_file", arguments: { path: hole } },
      { meta: { progressToken: 7 } },
    );
    await wire.hear(isOf("notifications/progress"));
    wire.notify("notifications/cancelled", { requestId: id, reason: "no longer wanted" });
    expect(textOf(await callTool(wire, "get_file_info", { path: hole }))).toContain("hole.bin");
    await expect.poll(() => filesOpenIn(wire.pid)).not.toContain(hole);
    expect(wire.heard.filter(isAnswerTo(id))).toEqual([]);
    expect(await wire.end()).toMatchObject({ code: 0 });
    expect(wire.heard.filter(isAnswerTo(id))).toEqual([]);
  });

  it("stops in the middle of a walk, and there are no answers", async () => {
    const wire = await openFiles([forest], { revision });
    // Side by side they take so long that none can be done before it is called off.
    const ids = Array.from({ length: 15 }, (_, progressToken) => {
      const params = { name: "search_content", arguments: { path: forest, pattern: "nothing" } };
      return wire.send("tools/call", params, { meta: { progressToken } });
    });
    await wire.hear(isOf("notifications/progress"));
    for (const requestId of ids) wire.notify("notifications/cancelled", { requestId });
    expect(textOf(await callTool(wire, "list_allowed_directories"))).toBe(JSON.stringify(forest));
    const isOpen = (): boolean => filesOpenIn(wire.pid).some((path) => path.startsWith(forest));
    await expect.poll(isOpen).toBe(false);
    const { length } = wire.heard;
    expect(await wire.end()).toMatchObject({ code: 0 });
    expect(wire.heard.slice(length)).toEqual([]);
    expect(wire.heard.filter(({ id }) => ids.includes(id))).toEqual([]);
  });

  it("does not hold up others meanwhile", async () => {
    const wire = await openFiles([forest], { revision });
    const slow = wire.send("tools/call", { name: "hash_file", arguments: { path: hole } });
    for (let count = 0; count < 20; count += 1) {
      expect(textOf(await callTool(wire, "hash_file", { path: "directory-1/file-1.txt" }))).toMatch(
        /^sha256 /,
      );
    }
    expect(wire.heard.filter(isAnswerTo(slow))).toEqual([]);
    // The end of input ends it, too.
    expect(await wire.end()).toMatchObject({ code: 0, signal: null });
  });
});

describe.each(BOTH_ENDS)("the log, in %s", (revision) => {
  it("has every change, for those who want to hear of it", async () => {
    const folder = createProject();
    const wire = await openFiles([folder], { revision });
    const path = join(folder, "new.txt");
    const logged = (): readonly unknown[] =>
      wire.heard.filter(isOf("notifications/message")).map(({ params }) => params);
    const meta = isModern(revision) ? { [META_LOG_LEVEL]: "info" } : {};
    await callTool(wire, "write_file", { path, content: "one\n" }, { meta });
    const entry = {
      level: "info",
      data: { event: "changed", tool: "write_file", changed: [path], total: 1 },
    };
    expect(logged()).toMatchObject([entry]);
    if (!isModern(revision)) await wire.request("logging/setLevel", { level: "warning" });
    await callTool(wire, "write_file", { path, content: "two\n" });
    await callTool(wire, "read_text_file", { path });
    expect(logged()).toHaveLength(1);
    expect(faultsIn(wire)).toEqual([]);
  });
});
