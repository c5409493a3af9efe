import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

import { BOTH_ENDS, callTool, isWriter, listTools, textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { fieldsIn } from "../support/tool-rows.ts";
import { openFiles } from "./program.ts";
import { writeProject } from "./project.ts";
import { READING } from "./reading-rows.ts";
import { changesBetween, takeSnapshot } from "./snapshot.ts";

describe.each(BOTH_ENDS)("--read-only, in %s", (revision) => {
  it("offers the readers alone, and they work", async () => {
    const root = createPlace();
    const folder = join(root, "row");
    mkdirSync(folder);
    writeProject(folder);
    const wire = await openFiles(["--read-only", "--all-tools", root], { revision });
    const tools = await listTools(wire);
    expect(new Set(tools.map(({ name }) => name))).toEqual(new Set(READING.map(({ tool }) => tool)));
    // Annotations came with the second revision.
    expect(revision === "2024-11-05" ? [] : tools.filter(isWriter)).toEqual([]);
    const before = takeSnapshot(root);
    // The others first write what they read.
    for (const row of READING.filter((one) => one.before === undefined)) {
      const response = await callTool(wire, row.tool, fieldsIn(row.args, { root, folder }));
      expect.soft(textOf(response), row.about).toMatch(row.text);
    }
    await wire.request("resources/read", { uri: `file://${folder}/README.md` });
    expect(await wire.end()).toMatchObject({ code: 0 });
    expect(changesBetween(before, takeSnapshot(root))).toEqual([]);
    expect(existsSync(join(root, ".suite-trash"))).toBe(false);
  });
});
