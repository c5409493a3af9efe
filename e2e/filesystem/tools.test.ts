import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { BOTH_ENDS, callTool, contentOf, listTools, REVISIONS, textOf } from "@suite/check/wires";
import { countTokens } from "gpt-tokenizer";
import { describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { checkToolRows, fieldsIn } from "../support/tool-rows.ts";
import type { Wire } from "../support/wire.ts";
import { openFiles } from "./program.ts";
import { writeProject } from "./project.ts";
import { READING } from "./reading-rows.ts";
import { type FilesystemRow, type ProjectScene, readDisk } from "./tool-row.ts";
import { WRITING } from "./writing-rows.ts";

const ROWS: readonly FilesystemRow[] = [...READING, ...WRITING];

/** A project in a folder of its own, so that one server has several. */
function createScene(root: string, name: string): ProjectScene {
  const folder = join(root, name);
  mkdirSync(folder);
  return { root, folder: writeProject(folder) };
}

async function prepare(wire: Wire, row: FilesystemRow, scene: ProjectScene): Promise<ProjectScene> {
  for (const { tool, args } of row.before ?? []) await callTool(wire, tool, fieldsIn(args, scene));
  return scene;
}

function checkTraces({ disk = {} }: FilesystemRow, { folder }: ProjectScene, about: string): void {
  expect.soft(readDisk(folder, Object.keys(disk)), about).toEqual(disk);
}

describe.each(BOTH_ENDS)("in %s", (revision) => {
  it("every tool does what it says", async () => {
    const root = createPlace();
    const wire = await openFiles(["--all-tools", root], { revision });
    await checkToolRows(wire, ROWS, {
      prepare: (row, index) => prepare(wire, row, createScene(root, `row-${index}`)),
      checkTraces,
    });
    expect(wire.stderr).toBe("");
  });

  it("what was cut goes on where it stopped", async () => {
    const { root, folder } = createScene(createPlace(), "project");
    const wire = await openFiles(["--all-tools", root], { revision });
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const args = { path: folder, limit: 4, ...(cursor !== undefined && { cursor }) };
      const text = textOf(await callTool(wire, "list_directory", args));
      names.push(...[...text.matchAll(/^\[\w+\] (.*)$/gm)].map(([, name = ""]) => name));
      cursor = /cursor: "([^"]+)"/.exec(text)?.[1];
    } while (cursor !== undefined && names.length < 20);
    const all = ".gitignore README.md beep.wav data.bin link.md notes pixel.png run.sh src";
    expect(names.toSorted().join(" ")).toBe(all);
  });
});

it("duplicates are found by content, the newest first", async () => {
  const { root, folder } = createScene(createPlace(), "project");
  const wire = await openFiles(["--all-tools", root]);
  const large = Buffer.alloc(10_000, "x");
  for (const [name, minute] of Object.entries({ "a.txt": 1, "b.txt": 3, "src/c.txt": 2 })) {
    writeFileSync(join(folder, name), large);
    utimesSync(join(folder, name), minute * 60, minute * 60);
  }
  // Of the same size and beginning, and not the same; and another name of a file.
  writeFileSync(join(folder, "d.txt"), Buffer.concat([large.subarray(1), Buffer.from("y")]));
  linkSync(join(folder, "a.txt"), join(folder, "e.txt"));
  const { result } = await callTool(wire, "find_duplicates", { path: folder });
  const files = ["b.txt", "src/c.txt", "a.txt"].map((name) => `project/${name}`);
  expect(result?.["structuredContent"]).toMatchObject({
    groups: [{ size: 10_000, files }],
    total_groups: 1,
    wasted: 20_000,
  });
});

it("composes lines of a long file, and refuses files that are too large together", async () => {
  const { root, folder } = createScene(createPlace(), "project");
  const wire = await openFiles(["--all-tools", root]);
  const long = join(folder, "long.txt");
  writeFileSync(long, Array.from({ length: 5000 }, (_, index) => `line ${index + 1}\n`).join(""));
  const ranges = [4321, 1, 1000, 1001, 5000].map((line) => ({
    path: long,
    start_line: line,
    end_line: line,
  }));
  const path = join(folder, "composed.txt");
  await callTool(wire, "compose_file", { path, parts: ranges });
  expect(readFileSync(path, "utf8")).toBe("line 4321\nline 1\nline 1000\nline 1001\nline 5000\n");
  const large = ["one", "two"].map((name) => join(folder, name));
  for (const name of large) {
    writeFileSync(name, "x\n");
    truncateSync(name, 40 * 1024 * 1024);
  }
  const parts = large.map((name) => ({ path: name, end_line: 1 }));
  const refused = await callTool(wire, "compose_file", { path: join(folder, "no.txt"), parts });
  expect(textOf(refused)).toMatch(/have more than 64/);
  expect(existsSync(join(folder, "no.txt"))).toBe(false);
});

it("tools that a day's work does not need cost nothing unless asked for", async () => {
  const tools = await listTools(await openFiles([createPlace()]));
  const seen = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  expect(seen.map(({ name }) => name)).not.toContain("compose_file");
  expect(countTokens(JSON.stringify(seen))).toBeLessThanOrEqual(2800);
});

it.each(REVISIONS)("sound is sound where the revision knows it, in %s", async (revision) => {
  const { root, folder } = createScene(createPlace(), "project");
  const wire = await openFiles(["--all-tools", root], { revision });
  const response = await callTool(wire, "read_media_file", { path: `${folder}/beep.wav` });
  const block = contentOf(response)[1];
  const mimeType = "audio/wav";
  const expected = revision === "2024-11-05" ? { resource: { mimeType } } : { type: "audio", mimeType };
  expect(block).toMatchObject(expected);
});
