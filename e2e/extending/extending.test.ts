import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { faultsIn } from "@suite/check";
import { callTool, isGood, listTools, type Revision, textOf } from "@suite/check/wires";
import { build } from "esbuild";
import { beforeAll, expect, it } from "vitest";

import { undoAtEnd } from "../support/afterwards.ts";
import { errorOf } from "../support/calls.ts";
import { createPlace } from "../support/place.ts";
import { runToEnd } from "../support/program.ts";
import { inRoot } from "../support/root.ts";
import { Wire, type WireOptions } from "../support/wire.ts";

const EXAMPLES = ["fewer", "more", "careful", "both"] as const;
const DOCUMENT = readFileSync(inRoot("docs/extending.md"), "utf8");
/** Among the packages that they import. */
const FOLDER = inRoot(`e2e/dist/extending-${process.pid}`);

const codeOf = (example: string): string =>
  new RegExp(`\`\`\`ts file=e2e/extending/${example}\\.ts\\n(.*?)\`\`\``, "s").exec(DOCUMENT)?.[1] ?? "";

beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true });
  undoAtEnd(() => rmSync(FOLDER, { recursive: true }));
  for (const example of EXAMPLES) writeFileSync(join(FOLDER, `${example}.ts`), codeOf(example));
  await build({
    entryPoints: EXAMPLES.map((example) => join(FOLDER, `${example}.ts`)),
    outdir: FOLDER,
    format: "esm",
    outExtension: { ".js": ".mjs" },
  });
});

const open = (
  example: (typeof EXAMPLES)[number],
  args: readonly string[],
  options: WireOptions = {},
): Promise<Wire> =>
  Wire.open([process.execPath, join(FOLDER, `${example}.mjs`), ...args], {
    revision: "2026-07-28",
    ...options,
  });

const namesIn = async (wire: Wire): Promise<readonly string[]> =>
  (await listTools(wire)).map(({ name }) => name);

it("the examples are short", () => {
  for (const example of EXAMPLES) expect(codeOf(example).split("\n").length, example).toBeLessThan(40);
});

it.each(["2025-06-18", "2026-07-28"] satisfies Revision[])(
  "tools go, and get other names, in %s",
  async (revision) => {
    const wire = await open("fewer", [createPlace()], { revision });
    const tools = await listTools(wire);
    const names = tools.map(({ name }) => name);
    expect(names).toContain("search_notes");
    for (const gone of ["delete_file", "move_file", "hash_file", "search_content"])
      expect(names).not.toContain(gone);
    expect(JSON.stringify(tools)).toContain("Creates a note, or replaces a whole one.");
    const old = await callTool(wire, "search_content", { pattern: "x" });
    expect(old.error?.message).toContain("search_notes");
    expect(isGood(await callTool(wire, "search_notes", { pattern: "x" }))).toBe(true);
    expect(faultsIn(wire)).toEqual([]);
    expect(await wire.end()).toMatchObject({ code: 0 });
  },
);

it("a tool that is added keeps the contract, and what it changes can be undone", async () => {
  const folder = createPlace();
  const file = join(folder, "todo.md");
  const wire = await open("more", [folder]);
  expect((await namesIn(wire)).at(-1)).toBe("add_todo");
  const meta = { "dev.suite/idempotencyKey": "once" };
  for (let time = 0; time < 2; time += 1)
    expect(isGood(await callTool(wire, "add_todo", { text: "milk" }, { meta }))).toBe(true);
  expect(readFileSync(file, "utf8")).toBe("- milk\n");
  expect(isGood(await callTool(wire, "undo", { id: "last" }))).toBe(true);
  expect(existsSync(file)).toBe(false);
  const wrong = await callTool(wire, "add_todo", { txt: "milk" });
  expect(textOf(wrong)).toContain("text");
  expect(errorOf(wrong).code).toBe("invalid_input");
  const late = { "dev.suite/timeoutMs": 0 };
  expect(errorOf(await callTool(wire, "add_todo", { text: "x" }, { meta: late })).code).toBe("invalid_input");
  const readOnly = await open("more", ["--read-only", folder]);
  expect(await namesIn(readOnly)).not.toContain("add_todo");
  const asking = await open("more", ["--confirm", folder]);
  expect(errorOf(await callTool(asking, "write_file", { path: "a", content: "a" })).code).toBe(
    "permission_denied",
  );
});

it("a call can be looked at before, refused, and made to ask", async () => {
  const folder = createPlace();
  writeFileSync(join(folder, "a.txt"), "a\n");
  const wire = await open("careful", [folder], { revision: "2025-11-25", capabilities: { elicitation: {} } });
  const refused = await callTool(wire, "read_text_file", { path: "private/a.txt" });
  expect(errorOf(refused)).toMatchObject({ code: "permission_denied", hint: "Ask the person." });
  const edit = { path: "a.txt", edits: [{ oldText: "a", newText: "b" }] };
  wire.answer("elicitation/create", () => ({ action: "decline" }));
  expect(isGood(await callTool(wire, "edit_file", edit))).toBe(false);
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("a\n");
  wire.answer("elicitation/create", () => ({ action: "accept", content: { confirm: true } }));
  expect(isGood(await callTool(wire, "edit_file", edit))).toBe(true);
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("b\n");
});

it("two servers are one, each with its own options and state", async () => {
  const folder = createPlace();
  const wire = await open("both", [
    "--files-directories",
    folder,
    "--git-allow-dir",
    folder,
    "--git-all-tools",
  ]);
  const names = await namesIn(wire);
  expect(new Set(names).size).toBe(names.length);
  expect(isGood(await callTool(wire, "git_init", { path: "." }))).toBe(true);
  expect(isGood(await callTool(wire, "write_file", { path: "a.txt", content: "a\n" }))).toBe(true);
  expect(textOf(await callTool(wire, "git_status"))).toContain("a.txt");
  expect(textOf(await callTool(wire, "undo", { id: "last" }))).toContain("taken back");
  expect(existsSync(join(folder, "a.txt"))).toBe(false);
  const { result } = await wire.request("resources/list");
  expect(JSON.stringify(result)).toContain("file://");
  expect(faultsIn(wire)).toEqual([]);
  expect(await wire.end()).toMatchObject({ code: 0 });
});

it("the help of two servers names their options as they are now", async () => {
  const { stdout } = await runToEnd([process.execPath, join(FOLDER, "both.mjs"), "--help"]);
  expect(stdout).toContain("A repository, like --git-repository.");
  expect(stdout).not.toMatch(/ --(?:repository|allow-dir|trust-repository|no-undo)\b/);
  // Those of every server keep their names.
  expect(stdout).toContain("--max-timeout");
});

it("what is removed or excluded is not done by another tool either", async () => {
  const program = join(FOLDER, "rows.mjs");
  const changes = {
    name: "t",
    version: "1.0.0",
    remove: ["alter_or_drop"],
    rename: { create_table: "make" },
  };
  writeFileSync(
    program,
    `import { sqlite } from "@suite/server-sqlite";
     import { extendServer } from "@suite/server-kit/extend";
     import { runServer } from "@suite/server-kit/program";
     runServer(extendServer(sqlite, ${JSON.stringify(changes)}));`,
  );
  const openRows = (...args: readonly string[]): Promise<Wire> =>
    Wire.open([process.execPath, program, ":memory:", "--allow-ddl", ...args], { revision: "2026-07-28" });
  const run = (wire: Wire, query: string): ReturnType<typeof callTool> =>
    callTool(wire, "execute_batch", { statements: [{ query }] });
  const wire = await openRows();
  expect(isGood(await run(wire, "CREATE TABLE t (a)"))).toBe(true);
  expect(textOf(await run(wire, "DROP TABLE t"))).toContain("execute_batch does not run DROP");
  expect(isGood(await callTool(wire, "undo", { id: "last" }))).toBe(true);
  const narrower = await openRows("--exclude-tools", "make");
  expect(textOf(await run(narrower, "CREATE TABLE t (a)"))).toContain("execute_batch does not run CREATE");
});

it.each([
  // Both would have the same resources.
  ["home: filesystem, work: filesystem", "home and work both have file:///{+path}"],
  ['"my files": filesystem', '"my files" is not of small letters and digits'],
])("servers that cannot be one are refused: %s", async (servers, words) => {
  const code = codeOf("both")
    .replace("files: filesystem, git }", `${servers} }`)
    .replace(/import \{ git \}.*\n/, "");
  writeFileSync(join(FOLDER, "refused.mjs"), code);
  const { stderr, code: exit } = await runToEnd([process.execPath, join(FOLDER, "refused.mjs")]);
  expect(stderr).toContain(words);
  expect(exit).not.toBe(0);
});
