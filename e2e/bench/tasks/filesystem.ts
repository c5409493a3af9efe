import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { homeOf } from "../../support/installed.ts";
import type { BenchTask, Step, TaskResult } from "./task.ts";

/** A copy of the core's source, a log of 5,000 lines, and two versions of a file. */
export function prepareFilesystem(folder: string): readonly string[] {
  const root = join(folder, "project");
  cpSync(join(homeOf("@suite/core"), "src"), join(root, "src"), { recursive: true });
  mkdirSync(join(root, "notes"));
  const lines = Array.from(
    { length: 5000 },
    (_, n) => `2026-01-01 ${n % 39 === 0 ? "ERROR" : "INFO"} request ${n}`,
  );
  writeFileSync(join(root, "server.log"), `${lines.join("\n")}\n`);
  writeFileSync(join(root, "notes/old.md"), "# Plan\n\nfirst\nsecond\nthird\n");
  writeFileSync(join(root, "notes/new.md"), "# Plan\n\nfirst\n2nd\nthird\nfourth\n");
  writeFileSync(join(root, "CHANGELOG.md"), "# Changes\n");
  const bug = "export function add(a: number, b: number): number {\n  return a - b;\n}\n";
  writeFileSync(join(root, "bug.ts"), bug);
  return [root];
}

const undoLast: Step = { tool: "undo", args: { id: "last" }, gives: ({ undone }) => undone !== undefined };

/** Shown first, then made as often as was seen. */
function replaceEverywhere(args: object): readonly Step[] {
  const tool = "replace_in_files";
  return [
    { tool, args },
    {
      tool,
      args: ({ count }: TaskResult) => ({ ...args, expected_count: count }),
      gives: ({ changed }) => (changed as readonly string[]).length > 1,
    },
  ];
}

/** Each as few calls as a careful model needs. */
export const FILESYSTEM_TASKS: readonly BenchTask[] = [
  {
    name: "F1 where is a function defined and used",
    tokens: 1500,
    steps: [
      {
        tool: "search_content",
        args: { pattern: "resourceNotFound" },
        gives: ({ matches }) => Number(matches) > 3,
      },
    ],
  },
  {
    name: "F2 rename it everywhere",
    tokens: 4000,
    steps: replaceEverywhere({ pattern: "resourceNotFound", replacement: "missingResource" }),
  },
  {
    name: "F3 fix a bug, the old text slightly wrong",
    tokens: 600,
    steps: [
      { tool: "search_content", args: { pattern: "return a", path: "bug.ts", context: 1 } },
      {
        tool: "edit_file",
        args: {
          file_path: "bug.ts",
          edits: [{ old_string: "\treturn a - b;", new_string: "\treturn a + b;" }],
        },
        gives: ({ diff }) => String(diff).includes("+  return a + b;"),
      },
    ],
  },
  {
    name: "F4 a log's tail, and how many ERROR lines",
    tokens: 1200,
    steps: [
      {
        tool: "read_text_file",
        args: { path: "server.log", tail: 20 },
        gives: ({ start_line: line }) => line === 4981,
      },
      {
        tool: "search_content",
        args: { path: "server.log", pattern: " ERROR ", mode: "count" },
        gives: ({ matches }) => matches === 129,
      },
    ],
  },
  {
    name: "F5 summarise a directory",
    tokens: 9000,
    steps: [
      { tool: "directory_tree", args: { path: "src", depth: 2 } },
      { tool: "read_text_file", args: { path: "src/index.ts" } },
    ],
  },
  {
    name: "F6 move a folder and mend the imports",
    tokens: 4000,
    steps: [
      { tool: "move_file", args: { source: "src/uri-template", destination: "src/uris/template" } },
      ...replaceEverywhere({ path: "src", pattern: "../uri-template/", replacement: "../uris/template/" }),
    ],
  },
  {
    name: "F7 undo the last three changes",
    tokens: 3000,
    steps: [{ tool: "undo", args: {} }, undoLast, undoLast, undoLast],
  },
  {
    name: "F8 compare two files",
    tokens: 400,
    steps: [
      {
        tool: "diff_files",
        args: { old_path: "notes/old.md", new_path: "notes/new.md" },
        gives: ({ diff }) => String(diff).includes("-second\n+2nd"),
      },
    ],
  },
  {
    name: "F9 the five biggest files of the tree",
    tokens: 500,
    steps: [
      {
        tool: "search_files",
        args: { pattern: "**", sort: "size", limit: 5 },
        gives: ({ files }) => (files as readonly unknown[]).length === 5,
      },
    ],
  },
  {
    name: "F10 a new file in a new folder, and a changelog line",
    tokens: 400,
    steps: [
      { tool: "write_file", args: { path: "docs/guide/start.md", content: "# Start\n" } },
      { tool: "append_file", args: { path: "CHANGELOG.md", content: "- A guide\n" } },
    ],
  },
  {
    name: "F11 regular expression with context",
    tokens: 2000,
    steps: [
      {
        tool: "search_content",
        args: { path: "src", pattern: "class \\w+ extends Error", regex: true, context: 1, head_limit: 5 },
        gives: ({ matches }) => Number(matches) > 1,
      },
    ],
  },
  {
    name: "F12 delete a folder, get it back",
    tokens: 500,
    steps: [
      {
        tool: "delete_file",
        args: { path: "notes", recursive: true },
        gives: ({ entries_inside: inside }) => inside === 2,
      },
      undoLast,
    ],
  },
];
