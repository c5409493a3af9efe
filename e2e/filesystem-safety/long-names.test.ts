import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { type Fields, isGood, textOf } from "@suite/check/wires";
import { expect, it } from "vitest";

import { complaintsAboutViews } from "../support/views.ts";
import { ask, callTool, codeOf, openFilesystem } from "./talk.ts";
import { World } from "./world.ts";

/** As long as a name may be, with what is longer when it is shown. */
const NAME = `"\u200B${"n".repeat(240)}`;
/** What a line of a file may hold that is several times longer when it is shown. */
const HIDDEN = '\u200B"\u001B'.repeat(20);
const FILES = 110;
const LIMIT = 40_000;

/** Files at the end of a path that is as long as the system takes, and one full of hidden characters. */
function createDepths(): { readonly world: World; readonly deep: string } {
  const world = new World();
  let deep = world.root;
  while (Buffer.byteLength(join(deep, NAME, NAME)) < 4000) deep = join(deep, NAME);
  mkdirSync(deep, { recursive: true });
  for (let index = 0; index < FILES; index += 1) {
    writeFileSync(join(deep, `${index}${"f".repeat(200)}.txt`), `needle ${index}\n`);
  }
  world.write("hidden.txt", `${HIDDEN}\n`.repeat(5000));
  world.write("hidden2.txt", `${HIDDEN}!\n`.repeat(5000));
  return { world, deep };
}

it("every tool keeps to the budget, however long paths are and whatever files hold", async () => {
  const { world, deep } = createDepths();
  const server = await openFilesystem(world);
  const paths = Array.from({ length: 100 }, (_, index) => join(deep, `${index}${"f".repeat(200)}.txt`));
  const [first = "", second = ""] = paths;
  const missing = paths.map((path) => path.replace(/\d+f/, "missing"));
  const rows: readonly (readonly [tool: string, args: Fields])[] = [
    ["list_allowed_directories", {}],
    ["list_directory", { path: deep }],
    ["list_directory_with_sizes", { path: deep }],
    ["list_directory_with_sizes", { path: deep, recursive: true }],
    ["directory_tree", {}],
    ["search_files", { pattern: "**" }],
    ["search_files", { pattern: "**", details: true, sort: "size", limit: 1000 }],
    ["search_content", { pattern: "needle", context: 1 }],
    ["search_content", { pattern: "needle", mode: "files" }],
    ["search_content", { pattern: "needle", mode: "count" }],
    ["search_content", { pattern: "!", path: "hidden2.txt" }],
    ["get_file_info", { path: first }],
    ["hash_file", { path: first }],
    ["read_text_file", { path: first }],
    ["read_text_file", { path: "hidden.txt" }],
    ["read_multiple_files", { paths }],
    ["read_multiple_files", { paths: missing }],
    ["read_multiple_files", { paths: ["hidden.txt", ...paths.slice(1)] }],
    ["diff_files", { old_path: "hidden.txt", new_path: "hidden2.txt" }],
    ["diff_files", { old_path: first, new_path: second }],
    ["replace_in_files", { pattern: "needle", replacement: "pin" }],
    ["replace_in_files", { pattern: "needle", replacement: "pin", expected_count: FILES }],
    ["edit_file", { path: first, edits: [{ oldText: "pin", newText: HIDDEN.repeat(500) }] }],
    ["append_file", { path: first, content: "more\n" }],
    ["write_file", { path: second, content: "new\n" }],
    ["create_directory", { path: join(deep, "made") }],
    ["copy_file", { source: deep, destination: "copied" }],
    ["move_file", { source: first, destination: join(deep, "moved.txt") }],
    ["delete_file", { path: join(deep, "moved.txt") }],
    ...paths.slice(2).map((path) => ["append_file", { path, content: "x" }] as const),
    ["undo", { limit: 100 }],
    ["undo", { id: "last" }],
    ["undo", { id: "last", dry_run: true }],
  ];
  const { result } = await ask(server, "tools/list");
  const tools = ((result?.["tools"] ?? []) as readonly { readonly name: string }[]).map(({ name }) => name);
  expect(tools).not.toEqual([]);
  // Images and audio are as long as they are.
  const tried = new Set([...rows.map(([tool]) => tool), "read_media_file"]);
  expect(tools.filter((name) => !tried.has(name))).toEqual([]);
  for (const [tool, args] of rows) {
    const answer = await callTool(server, tool, args);
    const what = `${tool} ${JSON.stringify(args).slice(0, 100)}`;
    expect.soft([what, !isGood(answer) && codeOf(answer)]).toEqual([what, false]);
    expect.soft(complaintsAboutViews(answer, args), what).toEqual([]);
    expect.soft(textOf(answer).length, what).toBeLessThanOrEqual(LIMIT);
  }
  expect(server.stderr).toBe("");
});
