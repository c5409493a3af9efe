import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { faultsIn } from "@suite/check";
import {
  BOTH_ENDS,
  callTool,
  CAPABLE,
  type ConversationResult,
  converseWithTool,
  type Fields,
  isGood,
  REVISIONS,
  textOf,
} from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { errorOf } from "../support/calls.ts";
import type { Wire } from "../support/wire.ts";
import { openFiles } from "./program.ts";
import { createProject } from "./project.ts";
import { changesBetween, takeSnapshot } from "./snapshot.ts";

const { elicitation } = CAPABLE;
const ASKABLE = REVISIONS.filter((revision) => revision >= "2025-06-18");

const callAnd = (wire: Wire, tool: string, args: Fields, answer: Fields): Promise<ConversationResult> =>
  converseWithTool(wire, tool, { "elicitation/create": () => answer }, args);

const YES = { action: "accept", content: { confirm: true } };
const NO: readonly Fields[] = [
  { action: "decline" },
  { action: "cancel" },
  { action: "accept", content: { confirm: false } },
];

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

  it("does nothing that a person does not agree to", async () => {
    const folder = createProject();
    const wire = await openFiles(["--confirm", folder], { revision, capabilities: { elicitation } });
    const before = takeSnapshot(folder);
    for (const answer of NO) {
      const { response, asked } = await callAnd(
        wire,
        "write_file",
        { path: "README.md", content: "" },
        answer,
      );
      expect(asked).toHaveLength(1);
      expect(errorOf(response)).toMatchObject({ code: "cancelled", retryable: false });
      expect(textOf(response)).toMatch(/did not agree to write_file\. Nothing was changed\./);
    }
    expect(changesBetween(before, takeSnapshot(folder))).toEqual([]);
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

describe.each(BOTH_ENDS)("--confirm, to a client that cannot ask, in %s", (revision) => {
  it("refuses what is destructive, and says what to do instead", async () => {
    const folder = createProject();
    const wire = await openFiles(["--confirm", folder], { revision });
    const before = takeSnapshot(folder);
    const response = await callTool(wire, "delete_file", { path: "README.md" });
    expect(errorOf(response)).toMatchObject({ code: "permission_denied", retryable: false });
    expect(textOf(response)).toMatch(
      /needs a person's consent, and this client cannot ask for it\.\nTry dry_run/,
    );
    const dry = await callTool(wire, "delete_file", { path: "README.md", dry_run: true });
    expect(textOf(dry)).toMatch(/would be deleted\.\nDry run: nothing was changed\./);
    expect(changesBetween(before, takeSnapshot(folder))).toEqual([]);
    expect(textOf(await callTool(wire, "append_file", { path: "README.md", content: "!" }))).toMatch(
      /appended to/,
    );
  });
});
