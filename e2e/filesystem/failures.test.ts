import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { faultsIn } from "@suite/check";
import { BOTH_ENDS, callTool, type Fields, isGood, textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { errorOf } from "../support/calls.ts";
import { checkFailing } from "../support/failing.ts";
import { createPlace } from "../support/place.ts";
import { fieldsIn } from "../support/tool-rows.ts";
import { FAILING, type InsideAndOutside } from "./failing-rows.ts";
import { openFiles } from "./program.ts";
import { writeProject } from "./project.ts";
import { changesBetween, takeSnapshot } from "./snapshot.ts";

const MANY_LINES = `${"x".repeat(99)}\n`.repeat(100_000);

function createPlaces(): InsideAndOutside & { readonly whole: string } {
  const whole = createPlace();
  const [root, outside] = [join(whole, "root"), join(whole, "outside")];
  for (const folder of [root, outside]) mkdirSync(folder);
  writeProject(root);
  writeFileSync(join(root, "huge.txt"), MANY_LINES);
  writeFileSync(join(outside, "secret.txt"), "hunter2\n");
  return { whole, root, outside };
}

describe.each(BOTH_ENDS)("in %s", (revision) => {
  it("a call that fails says what kind of failure it is, and changes nothing", async () => {
    const { whole, ...place } = createPlaces();
    const wire = await openFiles(["--all-tools", place.root], { revision });
    const before = takeSnapshot(whole);
    for (const row of FAILING) checkFailing(await callTool(wire, row.tool, fieldsIn(row.args, place)), row);
    expect(changesBetween(before, takeSnapshot(whole))).toEqual([]);
    expect(existsSync(join(place.root, ".suite-trash"))).toBe(false);
    expect(faultsIn(wire)).toEqual([]);
  });

  it("a write to another version than was read fails with the one that is there", async () => {
    const { root } = createPlaces();
    const wire = await openFiles(["--all-tools", root], { revision });
    const path = `${root}/README.md`;
    const etag = /etag (\S+)\n/.exec(textOf(await callTool(wire, "read_text_file", { path })))?.[1];
    writeFileSync(path, "somebody else was here\n");
    for (const [tool, args] of Object.entries({
      write_file: { content: "mine" },
      append_file: { content: "mine" },
      edit_file: { edits: [{ oldText: "else", newText: "mine" }] },
      delete_file: {},
    })) {
      const stale = await callTool(wire, tool, { path, if_match: etag, ...args });
      expect(errorOf(stale), tool).toMatchObject({ code: "precondition_failed", retryable: false });
      expect(textOf(stale)).toMatch(/was changed since it was read/);
      const { etag: current } = errorOf(stale).details as { readonly etag: string };
      expect(current).not.toBe(etag);
      const dry = await callTool(wire, tool, { path, if_match: current, dry_run: true, ...args });
      expect(isGood(dry), textOf(dry)).toBe(true);
    }
  });

  it("resources and prompts that fail are errors of the protocol, with their kind", async () => {
    const { root, outside } = createPlaces();
    const wire = await openFiles(["--all-tools", root], { revision });
    const rows: readonly (readonly [method: string, params: Fields, code: string, message: RegExp])[] = [
      ["resources/read", { uri: `file://${root}/READM.md` }, "not_found", /Did you mean ".*README\.md"\?/],
      ["resources/read", { uri: `file://${outside}/secret.txt` }, "permission_denied", /outside the allowed/],
      ["resources/read", { uri: `file://${root}/src%2Findex.ts` }, "invalid_input", /separator/],
      ["prompts/get", { name: "explain_file", arguments: { path: "READM.md" } }, "not_found", /Did you mean/],
      ["prompts/get", { name: "explain_file", arguments: {} }, "invalid_input", /path/],
      [
        "prompts/get",
        { name: "summarize_directory", arguments: { path: ".", depth: "deep" } },
        "invalid_input",
        /whole number from 1 to 10/,
      ],
      [
        "prompts/get",
        { name: "review_changes_between", arguments: { before: "run.sh", after: "run.sh" } },
        "invalid_input",
        /nothing to review/,
      ],
    ];
    for (const [method, params, code, message] of rows) {
      const { error } = await wire.request(method, params);
      expect.soft(error?.message, JSON.stringify(params)).toMatch(message);
      expect.soft(error?.data, JSON.stringify(params)).toMatchObject({ "dev.suite/error": { code } });
    }
    expect(faultsIn(wire)).toEqual([]);
  });
});
