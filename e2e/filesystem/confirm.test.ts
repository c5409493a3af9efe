import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { faultsIn } from "@suite/check";
import {
  CAPABLE,
  type ConversationResult,
  converseWithTool,
  type Fields,
  isGood,
  REVISIONS,
  textOf,
} from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import type { Wire } from "../support/wire.ts";
import { openFiles } from "./program.ts";
import { createProject } from "./project.ts";

const { elicitation } = CAPABLE;
const ASKABLE = REVISIONS.filter((revision) => revision >= "2025-06-18");

const callAnd = (wire: Wire, tool: string, args: Fields, answer: Fields): Promise<ConversationResult> =>
  converseWithTool(wire, tool, { "elicitation/create": () => answer }, args);

const YES = { action: "accept", content: { confirm: true } };
const HARMLESS: Readonly<Record<string, Fields>> = {
  read_text_file: { path: "README.md" },
  append_file: { path: "README.md", content: "More.\n" },
  create_directory: { path: "new" },
  write_file: { path: "README.md", content: "", dry_run: true },
  edit_file: { path: "README.md", edits: [{ oldText: "hello", newText: "hi" }], dryRun: true },
  // Both only show something unless told more.
  replace_in_files: { path: ".", pattern: "hello", replacement: "hi" },
  undo: {},
};

describe.each(ASKABLE)("--confirm, in %s", (revision) => {
  it("does what a person agrees to", async () => {
    const folder = createProject();
    const wire = await openFiles(["--confirm", folder], { revision, capabilities: { elicitation } });
    const path = join(folder, "README.md");
    const { response, asked } = await callAnd(wire, "delete_file", { path }, YES);
    expect(asked.map(({ method, params }) => [method, params["message"]])).toEqual([
      ["elicitation/create", `Delete ${JSON.stringify(path)}?`],
    ]);
    expect(isGood(response), textOf(response)).toBe(true);
    expect(existsSync(path)).toBe(false);
    await callAnd(wire, "undo", { id: "last" }, YES);
    expect(readFileSync(path, "utf8")).toBe("# Project\n\nSay hello.\n");
    expect(faultsIn(wire)).toEqual([]);
  });

  it("asks nobody about what loses nothing", async () => {
    const folder = createProject();
    const wire = await openFiles(["--confirm", folder], { revision, capabilities: { elicitation } });
    for (const [tool, args] of Object.entries(HARMLESS)) {
      const { response, asked } = await callAnd(wire, tool, args, { action: "decline" });
      expect(asked, tool).toEqual([]);
      expect(isGood(response), textOf(response)).toBe(true);
    }
  });
});
