import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { toPdf } from "../../fetch/web.ts";
import { homeOf } from "../../support/installed.ts";
import { toXlsx } from "../../support/office-files.ts";
import type { BenchTask, Step, TaskResult } from "./task.ts";

/** A copy of the core's source, a log of 5,000 lines, two versions of a file, 3,000 small files, and documents. */
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
  for (let at = 0; at < 3000; at += 1) {
    const place = join(root, `data/${at % 30}`);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, `${at}.txt`), at < 20 ? "the same" : "x".repeat(1 + (at % 97) * 10));
  }
  for (let at = 1; at <= 10; at += 1) writeFileSync(join(root, `notes/${at}.md`), `Part ${at}\n`);
  const sums = '<sheetData><row><c t="str"><v>Total</v></c><c><v>1234.5</v></c></row></sheetData>';
  writeFileSync(join(root, "notes/sums.xlsx"), toXlsx([{ name: "Sums", xml: sums }]));
  writeFileSync(join(root, "notes/offer.pdf"), toPdf(["Our offer", "The price is 99"]));
  return [root, "--all-tools"];
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
        gives: ({ entries_inside: inside }) => inside === 14,
      },
      undoLast,
    ],
  },
  {
    name: "F13 how many files of which size, in all",
    tokens: 700,
    steps: [
      {
        tool: "search_files",
        args: { path: "data", type: "file", sort: "size", limit: 5 },
        gives: ({ total }) => total === 3000,
      },
      {
        tool: "search_files",
        args: { path: "data", type: "file", sort: "size", min_size: 500, limit: 1 },
        gives: ({ total }) => Number(total) > 1000,
      },
    ],
  },
  {
    name: "F14 files of the same content",
    tokens: 300,
    steps: [
      {
        tool: "find_duplicates",
        args: { include: ["data/{0,1,2,3,4}/{?,??}.txt"] },
        gives: ({ total_groups: groups }) => Number(groups) > 0,
      },
    ],
  },
  {
    name: "F15 join ten files, and take it back",
    tokens: 400,
    steps: [
      {
        tool: "compose_file",
        args: {
          path: "notes/all.md",
          parts: Array.from({ length: 10 }, (_, at) => ({ path: `notes/${at + 1}.md` })),
        },
        gives: ({ part_lines: lines }) => (lines as readonly unknown[]).length === 10,
      },
      undoLast,
    ],
  },
  {
    name: "F16 move twenty files, and take it back",
    tokens: 900,
    steps: [
      {
        tool: "move_file",
        args: {
          source: Array.from({ length: 20 }, (_, at) => `data/${at}/${at}.txt`),
          destination: "data/same",
        },
        gives: ({ targets }) => targets === 20,
      },
      undoLast,
    ],
  },
  {
    name: "F17 what a spreadsheet and a PDF in a folder say",
    tokens: 500,
    steps: [
      {
        tool: "search_content",
        args: { path: "notes", pattern: "total|price", regex: true, ignore_case: true, documents: true },
        gives: ({ matches }) => matches === 2,
      },
      {
        tool: "read_text_file",
        args: { path: "notes/sums.xlsx" },
        gives: ({ text }) => String(text).includes("| Total | 1234.5 |"),
      },
    ],
  },
];
