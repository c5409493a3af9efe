import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { type ListedTool, listTools } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import type { Wire } from "../support/wire.ts";
import { Observation } from "./observation.ts";
import { openFiles } from "./program.ts";
import { writeProject } from "./project.ts";
import { READING } from "./reading-rows.ts";
import { changesBetween, lossesBetween, takeSnapshot, withoutInner } from "./snapshot.ts";
import type { FilesystemRow } from "./tool-row.ts";
import { WRITING } from "./writing-rows.ts";

const ROWS: readonly FilesystemRow[] = [...READING, ...WRITING];

/** In a project of its own, which goes afterwards: whatever is there is looked at before and after every call. */
async function observe(
  wire: Wire,
  whole: string,
  row: FilesystemRow,
  root: string,
  tool: ListedTool,
): Promise<readonly string[]> {
  const folder = join(root, `row-${ROWS.indexOf(row)}`);
  mkdirSync(folder);
  const scene = { root, folder: writeProject(folder) };
  const complaints = await new Observation(wire, whole, row, scene).run(tool);
  rmSync(folder, { recursive: true });
  return complaints;
}

describe.each(["2025-11-25", "2026-07-28"] as const)("in %s", (revision) => {
  it("every tool does to the disk what its annotations say", async () => {
    const whole = createPlace();
    const [root, outside] = [join(whole, "root"), join(whole, "outside")];
    for (const folder of [root, outside, join(root, "neighbour")]) mkdirSync(folder);
    writeFileSync(join(outside, "file.txt"), "outside\n");
    writeProject(join(root, "neighbour"));
    const wire = await openFiles(["--all-tools", root], { revision });
    const tools = await listTools(wire);
    expect(tools.filter(({ name }) => !ROWS.some((row) => row.tool === name))).toEqual([]);
    const complaints: string[] = [];
    for (const tool of tools) {
      for (const row of ROWS.filter((one) => one.tool === tool.name))
        complaints.push(...(await observe(wire, whole, row, root, tool)));
    }
    expect(complaints).toEqual([]);
  });

  it("tools that declare too much are found out", async () => {
    const root = createPlace();
    const wire = await openFiles(["--all-tools", root], { revision });
    const tools = await listTools(wire);
    const lies = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
    const found: string[] = [];
    for (const [index, row] of ROWS.entries()) {
      const honest = tools.find(({ name }) => name === row.tool);
      if (honest?.annotations?.["readOnlyHint"] !== false) continue;
      const tool = { ...honest, annotations: { ...lies, readOnlyHint: index % 2 === 0 } };
      found.push(...(await observe(wire, root, row, root, tool)));
    }
    for (const rule of ["a reader changes nothing", "nothing is lost", "once is enough"]) {
      expect(found.filter((complaint) => complaint.includes(rule)).length, rule).toBeGreaterThan(1);
    }
  });
});

describe("the observation itself", () => {
  it("sees what changes, what is lost, and what goes with its directory", () => {
    const whole = writeProject(createPlace());
    const before = takeSnapshot(whole);
    writeFileSync(join(whole, "notes/old.txt"), "a\nb\nc\nd\n");
    writeFileSync(join(whole, "notes/new.txt"), "a");
    chmodSync(join(whole, "run.sh"), 0o644);
    mkdirSync(join(whole, "made"));
    writeFileSync(join(whole, "made/inner.txt"), "");
    const after = takeSnapshot(whole);
    const paths = changesBetween(before, after);
    const at = (...names: string[]): string[] => names.map((name) => join(whole, name));
    expect(paths).toEqual(at("made", "made/inner.txt", "notes/new.txt", "notes/old.txt", "run.sh"));
    expect(lossesBetween(before, after).toSorted()).toEqual(at("notes/new.txt", "run.sh"));
    const outer = at("made", "notes/new.txt", "notes/old.txt", "run.sh");
    expect(withoutInner(paths, at("made"), before, after)).toEqual(outer);
    expect(withoutInner(paths, at("notes"), before, after)).toEqual(paths);
  });
});
