import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { QUIET_API } from "../github/quiet-api.ts";
import type { Fields } from "../support/message.ts";

/** A server that is held to the contract. */
export interface ContractServer {
  readonly name: string;
  /** Starts the built program, with nothing to work on yet. */
  readonly command: readonly string[];
  /** Makes what the program works on in an empty folder, and gives the arguments that name it. */
  readonly prepare: (folder: string) => readonly string[];
  /** The committed versions and digests of its tools. */
  readonly snapshot: string;
  /** What the list of its tools may cost a model. */
  readonly tokens: number;
  /** Calls that show what its results look like, in this order. */
  readonly calls?: readonly { readonly name: string; readonly args: Fields }[];
  /** Where it has one: a group of its tools, for --tools. */
  readonly group?: { readonly name: string; readonly tools: readonly string[] };
}

const toPath = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const MANY_ROWS =
  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i, printf('%300d', i) AS a FROM n";

/** A server joins with a row of its own. */
export const SERVERS: readonly ContractServer[] = [
  {
    name: "fixture",
    command: [process.execPath, toPath("../dist/contract/fixture/main.js")],
    prepare: () => [],
    snapshot: toPath("fixture/contract.json"),
    tokens: 500,
    group: { name: "shelf", tools: ["look", "put", "drop"] },
    calls: [
      { name: "look", args: {} },
      { name: "look", args: { path: "hammer" } },
      { name: "put", args: { name: "saw", text: "x", dry_run: true } },
      { name: "put", args: { name: "saw", content: "x" } },
      { name: "drop", args: { name: "saw", dry_run: true } },
      { name: "drop", args: { name: "saw" } },
    ],
  },
  {
    name: "notes",
    command: [process.execPath, toPath("../../servers/notes/dist/main.js")],
    prepare: () => [],
    snapshot: toPath("../../servers/notes/contract.json"),
    tokens: 400,
    calls: [
      { name: "save_note", args: { title: "a", text: "x", dry_run: true } },
      { name: "save_note", args: { title: "a", text: "x" } },
      { name: "delete_note", args: { title: "a", dry_run: true } },
      { name: "delete_note", args: { title: "a" } },
    ],
  },
  {
    name: "filesystem",
    command: [process.execPath, toPath("../../servers/filesystem/dist/main.js")],
    prepare(folder) {
      writeFileSync(join(folder, "hello.txt"), "hello\n");
      writeFileSync(join(folder, "long.txt"), 'a line with a \u200B in it, and "quotes"\n'.repeat(10_000));
      return [folder];
    },
    snapshot: toPath("../../servers/filesystem/contract.json"),
    calls: [
      { name: "read_text_file", args: { path: "hello.txt" } },
      { name: "read_text_file", args: { path: "long.txt" } },
      { name: "search_content", args: { path: ".", pattern: "line" } },
      { name: "list_directory", args: { path: "." } },
      { name: "write_file", args: { path: "new.txt", content: "x\n", dry_run: true } },
      { name: "write_file", args: { path: "new.txt", content: "x\n" } },
      {
        name: "edit_file",
        args: { path: "new.txt", edits: [{ oldText: "x", newText: "y" }], dry_run: true },
      },
      { name: "delete_file", args: { path: "new.txt", dry_run: true } },
    ],
    tokens: 2800,
  },
  {
    name: "sqlite",
    command: [process.execPath, toPath("../../servers/sqlite/dist/main.js")],
    prepare(folder) {
      const file = join(folder, "contract.db");
      // Nothing at all is an empty database.
      writeFileSync(file, "");
      // With everything that can be allowed, so that all of its tools are there.
      return [file, "--allow-ddl", "--exchange", folder];
    },
    snapshot: toPath("../../servers/sqlite/contract.json"),
    calls: [
      { name: "create_table", args: { query: "CREATE TABLE t (a TEXT)", dry_run: true } },
      { name: "create_table", args: { query: "CREATE TABLE t (a TEXT)" } },
      { name: "write_query", args: { query: "INSERT INTO t VALUES ('x')", dry_run: true } },
      { name: "write_query", args: { query: "INSERT INTO t VALUES ('x')" } },
      { name: "read_query", args: { query: "SELECT a FROM t" } },
      { name: "read_query", args: { query: MANY_ROWS } },
    ],
    tokens: 1200,
  },
  {
    name: "git",
    command: [process.execPath, toPath("../../servers/git/dist/main.js")],
    prepare(folder) {
      execFileSync("git", ["init", "-q", folder]);
      // With everything that can be allowed, so that all of its tools are there.
      return [folder, "--all-tools", "--allow-network"];
    },
    snapshot: toPath("../../servers/git/contract.json"),
    // All groups; what is offered by default is held to less in e2e/git.
    tokens: 7000,
  },
  {
    name: "fetch",
    command: [process.execPath, toPath("../../servers/fetch/dist/main.js")],
    prepare: () => [],
    snapshot: toPath("../../servers/fetch/contract.json"),
    tokens: 1500,
  },
  {
    name: "github",
    command: [process.execPath, toPath("../../servers/github/dist/main.js")],
    // With all toolsets; what is offered by default is held to less in e2e/github.
    prepare: () => ["--api-url", QUIET_API, "--toolsets", "all"],
    snapshot: toPath("../../servers/github/contract.json"),
    tokens: 5000,
    group: { name: "labels", tools: ["list_label", "label_write"] },
  },
];
