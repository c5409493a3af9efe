import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { QUIET_API } from "../github/quiet-api.ts";

export interface NpxServer {
  readonly package: string;
  /** Makes what it works on in an empty folder, and gives the arguments that name it. */
  readonly prepare: (folder: string) => readonly string[];
  readonly call: { readonly name: string; readonly arguments: Record<string, unknown> };
  /** Part of the answer. */
  readonly answer: string;
}

function prepareFile(folder: string): readonly string[] {
  writeFileSync(join(folder, "hello.txt"), "hello\n");
  return [folder];
}

export const NPX_SERVERS: readonly NpxServer[] = [
  {
    package: "@suite/server-filesystem",
    prepare: prepareFile,
    call: { name: "read_text_file", arguments: { path: "hello.txt" } },
    answer: "hello",
  },
  {
    package: "@suite/server-git",
    prepare(folder) {
      execFileSync("git", ["init", "-q", "-b", "trunk", folder], { stdio: "ignore" });
      return [folder];
    },
    call: { name: "git_status", arguments: {} },
    answer: "trunk",
  },
  {
    package: "@suite/server-sqlite",
    prepare: (folder) => ["--create", join(folder, "app.db")],
    call: { name: "read_query", arguments: { query: "SELECT 'six' AS word" } },
    answer: "six",
  },
  {
    package: "@suite/server-fetch",
    prepare: () => [],
    call: { name: "clear_cache", arguments: { dry_run: true } },
    answer: "cache",
  },
  {
    package: "@suite/server-github",
    prepare: () => ["--api-url", QUIET_API],
    call: { name: "get_me", arguments: {} },
    answer: "Not Found",
  },
];

/** What most people start today. */
export const REFERENCE: NpxServer = {
  package: "@modelcontextprotocol/server-filesystem",
  prepare: prepareFile,
  call: { name: "list_allowed_directories", arguments: {} },
  answer: "Allowed",
};

export interface NpxResult {
  /** From the start of npx to the answer to `initialize`. */
  readonly answeredMs: number;
  readonly version: string | undefined;
  readonly text: string;
  /** What npx has installed. */
  readonly packages: readonly string[];
  readonly bytes: number;
}

const PATIENCE_MS = 240_000;

/** As a new user does: npx in an empty folder, with a home that has nothing in it, for the official client. */
export async function runNpx(server: NpxServer, registryUrl: string, folder: string): Promise<NpxResult> {
  const [home, cwd, work] = ["home", "cwd", "work"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [home, cwd, work]) mkdirSync(path, { recursive: true });
  const args = ["-y", server.package, ...server.prepare(work)];
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    npm_config_registry: registryUrl,
    ...(server.package.endsWith("sqlite") && packBuiltSqlite(folder)),
  };
  const transport = new StdioClientTransport({ command: "npx", args, cwd, env, stderr: "pipe" });
  let said = "";
  transport.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const client = new Client({ name: "npx", version: "1" });
  const beganAt = performance.now();
  try {
    await client.connect(transport, { timeout: PATIENCE_MS });
    const answeredMs = performance.now() - beganAt;
    const { content } = await client.callTool(server.call);
    return {
      answeredMs,
      version: client.getServerVersion()?.version,
      text: JSON.stringify(content),
      ...measureInstalled(join(home, ".npm/_npx")),
    };
  } catch (thrown) {
    throw new Error(`npx ${server.package} gave no answer, and said:\n${said}`, { cause: thrown });
  } finally {
    await client.close();
  }
}

/** Where no binary can be downloaded, npm compiles SQLite for minutes. With these settings it takes the one that is compiled already. */
export function packBuiltSqlite(folder: string): Readonly<Record<string, string>> {
  const manifest = createRequire(import.meta.url).resolve("better-sqlite3/package.json");
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const platform = `${process.platform}-${process.arch}`;
  const name = `better-sqlite3-v${version}-node-v${process.versions.modules}-${platform}.tar.gz`;
  const built = "build/Release/better_sqlite3.node";
  // Of a copy: what pnpm installs is linked to its store, and every other install touches that.
  mkdirSync(join(folder, dirname(built)), { recursive: true });
  copyFileSync(join(dirname(manifest), built), join(folder, built));
  execFileSync("tar", ["-czf", join(folder, name), "-C", folder, built]);
  return { npm_config_better_sqlite3_local_prebuilds: folder };
}

function measureInstalled(folder: string): Pick<NpxResult, "packages" | "bytes"> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const installed = paths.filter((path) => path.includes("node_modules/") && !path.includes("/.bin/"));
  const packages = installed.flatMap((path) => {
    const name = /node_modules\/((?:@[^/]+\/)?[^/@.][^/]*)\/package\.json$/.exec(path)?.[1];
    return name === undefined ? [] : [name];
  });
  const sizes = installed.map((path) => statSync(join(folder, path))).filter((stats) => stats.isFile());
  return { packages, bytes: sizes.reduce((sum, { size }) => sum + size, 0) };
}
