import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Driven } from "../servers/driving.ts";
import type { ToolCall } from "../servers/messages.ts";
import { openSite } from "../fetch/site.ts";
import { startScriptedApi } from "../../github/scripted-api.ts";
import { homeOf } from "../../support/installed.ts";
import { ours } from "../servers/contenders.ts";
import { hasText, type ToolResult } from "../servers/tool-calls.ts";
import { preparePeer } from "../sqlite/contenders.ts";
import { makeDatabase } from "../sqlite/database.ts";
import type { SuiteOptions } from "../suite.ts";

/** A server, what it is compared with, and the calls its users make first. Another server joins with another row. */
export interface FreshRow {
  readonly server: string;
  /** Makes what the server works on, in a folder of its own. */
  readonly prepare: (options: SuiteOptions) => Promise<FreshSetup>;
  /** How many times as long as the floor the first call may take. */
  readonly firstCallAtMost?: number;
  /** How many times as long as the reference's the next hundred may take; as long if left out. */
  readonly callsAtMost?: number;
}

export interface FreshSetup {
  readonly ours: Driven;
  readonly reference?: Driven;
  /** The first is the one whose first answer is measured. */
  readonly calls: readonly FreshCall[];
}

export interface FreshCall {
  readonly title: string;
  readonly call: ToolCall;
  readonly check: (result: ToolResult) => boolean;
}

const SMALL_TEXT = "A small file, as most are.\n".repeat(40);
const LONG_LINES = 200_000;

async function prepareFilesystem({ folder }: SuiteOptions): Promise<FreshSetup> {
  const root = join(folder, "files");
  const directory = join(root, "hundred");
  const [small, long] = [join(root, "small.txt"), join(root, "long.txt")];
  await mkdir(directory, { recursive: true });
  const names = Array.from({ length: 100 }, (_, index) => join(directory, `file-${index}.txt`));
  for (const file of [small, ...names]) await writeFile(file, SMALL_TEXT);
  await writeFile(long, Array.from({ length: LONG_LINES }, (_, index) => `line ${index + 1}\n`).join(""));
  return {
    ours: ours("filesystem", [root]),
    reference: {
      name: "reference",
      script: join(homeOf("@modelcontextprotocol/server-filesystem"), "dist/index.js"),
      args: [root],
    },
    calls: [
      {
        title: "read a small file",
        call: { name: "read_text_file", arguments: { path: small } },
        check: hasText(SMALL_TEXT.trimEnd()),
      },
      {
        title: "list 100 files",
        call: { name: "list_directory", arguments: { path: directory } },
        check: hasText("file-99.txt"),
      },
      {
        title: "get_file_info",
        call: { name: "get_file_info", arguments: { path: small } },
        // Ours writes 1,080 and the reference 1080.
        check: ({ content }) =>
          content?.[0]?.text?.replaceAll(",", "").includes(String(SMALL_TEXT.length)) ?? false,
      },
      {
        title: "search 100 files by name",
        call: { name: "search_files", arguments: { path: directory, pattern: "**/*-42.txt" } },
        check: hasText("file-42.txt"),
      },
      {
        title: `last 10 of ${LONG_LINES.toLocaleString("en-US")} lines`,
        call: { name: "read_text_file", arguments: { path: long, tail: 10 } },
        check: hasText(`line ${LONG_LINES}`),
      },
    ],
  };
}

async function prepareSqlite({ folder, signal, showProgress }: SuiteOptions): Promise<FreshSetup> {
  const file = makeDatabase(folder, 10_000);
  return {
    ours: ours("sqlite", [file]),
    reference: { name: "reference", script: await preparePeer(signal, showProgress), args: [file] },
    calls: [
      {
        title: "point query",
        call: { name: "read_query", arguments: { query: "SELECT * FROM items WHERE id = 4711" } },
        check: hasText("item number 4711"),
      },
      {
        title: "page of 100 rows",
        call: { name: "read_query", arguments: { query: "SELECT * FROM items LIMIT 100" } },
        check: hasText("item number 100"),
      },
    ],
  };
}

async function prepareGit({ folder }: SuiteOptions): Promise<FreshSetup> {
  const root = join(folder, "repository");
  execFileSync("git", ["init", "-q", "-b", "main", root]);
  execFileSync("git", ["fast-import", "--quiet"], { cwd: root, input: toImport(100, 200) });
  execFileSync("git", ["reset", "-q", "--hard"], { cwd: root });
  for (const at of [1, 2, 3]) await writeFile(join(root, nameOf(at)), `changed ${at}\n`);
  await writeFile(join(root, "untracked.txt"), "new\n");
  return {
    ours: ours("git", ["--allow-dir", root]),
    calls: [
      { title: "git_status", call: { name: "git_status", arguments: {} }, check: hasText("untracked.txt") },
      {
        title: "git_log of 10",
        call: { name: "git_log", arguments: { max_count: 10 } },
        check: hasText("change number 99"),
      },
    ],
  };
}

const nameOf = (at: number): string => `dir-${at}/file-${at}.txt`;

/** So many commits: the first makes the files, each of the others changes one. */
function toImport(commits: number, files: number): string {
  const toData = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const toFile = (at: number, text: string): string => `M 100644 inline ${nameOf(at)}\n${toData(text)}`;
  return Array.from({ length: commits }, (_, at) => {
    const head = `commit refs/heads/main\ncommitter Author ${at % 7} <a${at % 7}@example.org> ${1_600_000_000 + at * 8_640} +0000\n`;
    const changed =
      at === 0
        ? Array.from({ length: files }, (__, file) => toFile(file, `file ${file}\n`)).join("")
        : toFile((at * 7) % files, `change ${at}\n`);
    return `${head}${toData(`change number ${at}\n\nWith a reason.`)}${changed}`;
  }).join("");
}

async function prepareGithub(): Promise<FreshSetup> {
  const issue = { number: 1, title: "The door squeaks", state: "open", user: { login: "octo" } };
  const api = await startScriptedApi({ "GET /repos/octo/app/issues": { body: [issue] } });
  api.unref();
  return {
    ours: ours("github", ["--api-url", api.url]),
    calls: [
      {
        title: "list issues",
        call: { name: "list_issues", arguments: { owner: "octo", repo: "app" } },
        check: hasText("squeaks"),
      },
    ],
  };
}

async function prepareFetch(): Promise<FreshSetup> {
  const { origin, host } = await openSite();
  return {
    ours: ours("fetch", ["--allow-private-hosts", host]),
    calls: [
      {
        title: "fetch small JSON",
        call: { name: "fetch", arguments: { url: `${origin}/small` } },
        check: hasText("item 19"),
      },
    ],
  };
}

export const FRESH_ROWS: readonly FreshRow[] = [
  { server: "filesystem", prepare: prepareFilesystem },
  { server: "sqlite", prepare: prepareSqlite, callsAtMost: 1.3 },
  // It asks git itself, which is a process or two.
  { server: "git", prepare: prepareGit, firstCallAtMost: 4 },
  // The first call loads GitHub's client and the way out to the network.
  { server: "github", prepare: prepareGithub, firstCallAtMost: 6 },
  // It loads an HTTP client and asks a site for its robots.txt first.
  { server: "fetch", prepare: prepareFetch, firstCallAtMost: 4 },
];
