import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { findNode } from "../bed/other-node.ts";
import { saveSection } from "./figures.ts";
import { BenchFailure, type RunSuite, type SuiteOptions } from "./suite.ts";
import { tidyAtEnd } from "../support/afterwards.ts";
import { UsageError } from "../support/usage.ts";
import { type BenchCommand, parseCommand } from "./usage.ts";

/** Each is loaded when it is asked for. */
const suites: ReadonlyMap<string, () => Promise<{ readonly run: RunSuite }>> = new Map(
  Object.entries({
    fresh: () => import("./fresh/suite.ts"),
    npx: () => import("./npx/suite.ts"),
    core: () => import("./core/suite.ts"),
    http: () => import("./http/suite.ts"),
    scale: () => import("./scale/suite.ts"),
    sqlite: () => import("./sqlite/suite.ts"),
    tasks: () => import("./tasks/suite.ts"),
    fetch: () => import("./fetch/suite.ts"),
    sizes: () => import("./sizes/suite.ts"),
    articles: () => import("./articles/suite.ts"),
  }),
);
const names = [...suites.keys()];

const help = `Usage: npm run bench -- <suite> [options]

Suites
  fresh           each server in fresh processes: first answers and first hundred calls; against the floor and a reference
  npx             npx in an empty home, from a registry on this machine: seconds and sizes; against a reference
  core            one echo tool over stdio: start, calls, memory; against the floor, the SDKs and fastmcp
  http            one echo tool over HTTP at 16 connections; against a node:http floor and the official handler
  scale           replicas behind nginx with and without Redis, and what the store and each client take; needs both programs
  sqlite          queries and inserts on a million rows; against better-sqlite3 itself and a plain server on SDK v1
  tasks           what a model's tasks cost: calls, and tokens of either view of the results
  fetch           pages of several sizes from a site on this machine; against undici itself and a server of somebody else
  sizes           how much there is to read: lines of each package and of its tests
  all             one after the other, except articles
  articles DIR    how well articles are found in a clone of scrapinghub/article-extraction-benchmark or mozilla/readability

Options
  --rounds N      rounds of starts (20; 5 with --quick); calls take a quarter of them
  --quick         fewer calls per round: figures to look at, not to publish
  --only A,B      fresh, tasks, npx: only these servers
  --node 24       fresh: run the servers with another Node, which npm installs
  --save          write the figures to docs/figures.md, too
  -h, --help      this text

Exit status: 0 measured, whether targets are met or not; 1 a wrong answer or a crash; 64 wrong usage; 130 interrupted.
`;

const exit = { measured: 0, failed: 1, usage: 64, interrupted: 130 } as const;

async function main(args: readonly string[]): Promise<number> {
  const interruption = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => interruption.abort());
  try {
    const command = parseCommand(args);
    if (command.help) process.stdout.write(help);
    else if (!(await benchEach(command, args, interruption.signal))) return exit.failed;
    return exit.measured;
  } catch (error) {
    if (interruption.signal.aborted) return exit.interrupted;
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`bench: ${error.message}\nTry --help.\n`);
    return exit.usage;
  }
}

/** Whether all could be measured: one that could not does not keep the others from it. */
async function benchEach(
  command: BenchCommand,
  args: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const { suite: wanted = "" } = command;
  const failed: string[] = [];
  for (const suite of wanted === "all" ? names.filter((name) => name !== "articles") : [wanted]) {
    try {
      await bench(suite, command, args, signal);
    } catch (error) {
      if (error instanceof UsageError || signal.aborted) throw error;
      failed.push(suite);
      process.stderr.write(
        `bench: ${suite}: ${error instanceof BenchFailure ? error.message : inspectFailure(error)}\n`,
      );
    }
  }
  return failed.length === 0;
}

async function bench(
  suite: string,
  command: BenchCommand,
  args: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const load = suites.get(suite);
  if (load === undefined) throw new UsageError(`which suite? There are: ${[...names, "all"].join(", ")}`);
  const beganAt = performance.now();
  const node = command.node === undefined ? process.execPath : findNode(command.node);
  const report = await runInOwnFolder((await load()).run, { ...command, node, signal });
  const seconds = Math.round((performance.now() - beganAt) / 1_000);
  const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
  const rounds = `${command.rounds} ${command.rounds === 1 ? "round" : "rounds"}`;
  const cores = `${availableParallelism()} cores of ${cpus()[0]?.model.trim() ?? "an unknown kind"}`;
  const machine = `Node ${version}, ${process.platform} ${process.arch}, ${cores}, ${rounds}, ${seconds} s`;
  process.stdout.write(`${report}\n\n${machine}\n`);
  if (!command.save) return;
  const given = args.filter((arg) => arg !== "--save" && arg !== command.suite);
  const line = ["npm run bench --", suite, ...given].join(" ");
  const today = new Date().toISOString().slice(0, 10);
  saveSection({ suite, command: line, machine: `${today}, ${machine}`, report }, names);
}

async function runInOwnFolder(
  run: RunSuite,
  options: Omit<SuiteOptions, "folder" | "showProgress">,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "suite-bench-"));
  try {
    return await run({ ...options, folder, showProgress });
  } finally {
    showProgress("");
    await rm(folder, { recursive: true, force: true });
    await tidyAtEnd();
  }
}

/** One line that overwrites itself, and nothing at all where nobody watches. */
function showProgress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${line}`);
}

function inspectFailure(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

process.exitCode = await main(process.argv.slice(2));
