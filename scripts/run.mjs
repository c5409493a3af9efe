// `npm start`, `npm test` and most `npm run …` commands run this. Only Node and npm are needed: npx fetches the pinned pnpm
// for the first install; afterwards it is a dependency of the workspace like any other tool.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { planInstall, TOUR } from "./install.mjs";
import { listFailures, listNotRun, listTables, toClosingLine } from "./results.mjs";
import { listPackages } from "./workspace.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const stampFile = join(root, "node_modules/.install-stamp");
const resultsFolder = `node_modules/.cache/tests-${process.pid}`;

/** @param {string} project */
const vitest = (project) =>
  `vitest run --project ${project} --reporter=default --reporter=./scripts/failing-reporter.mjs --reporter=json --outputFile.json=${resultsFolder}/${project}.json`;

/** @type {Record<string, string>} */
const steps = {
  build: "turbo run build after-build",
  "build packages": "turbo run build after-build --filter=!@suite/e2e",
  "build tour": `turbo run build --filter=${TOUR}`,
  watch: "turbo watch build after-build watch:types --output-logs=full",
  tour: "node packages/tour/dist/main.js",
  bench: "node e2e/dist/bench/main.js",
  conformance: "node e2e/dist/conformance/main.js",
  bundle: "node e2e/dist/bundle/main.js",
  bed: "node e2e/dist/bed/main.js",
  unit: vitest("unit"),
  e2e: vitest("e2e"),
  soak: vitest("soak"),
  "set up windows": "node scripts/windows/prefix.mjs",
  "set up windows if possible": "node scripts/windows/prefix.mjs --if-possible",
  windows: `${vitest("soak")} e2e/windows`,
  mutants: "node scripts/mutants.mjs",
  fuzz: "node scripts/fuzz.mjs",
  site: "vitepress build docs",
  api: "node scripts/api.mjs",
  // In parallel: checking types keeps one core busy for half a minute.
  check:
    "turbo run check:lint check:unused check:boundaries check:format check:words check:package --continue",
  "fix addresses": "node scripts/addresses.mjs",
  "fix lint": "oxlint --fix",
  "fix format": "oxfmt",
};

/**
 * The steps of a list within a list run side by side, where one would leave a core idle. Only the first shows what it prints, unless
 * another fails.
 * @type {Record<string, (string | string[])[]>}
 */
const jobs = {
  start: ["build tour", "tour"],
  test: ["build", ["unit", "check"], "e2e"],
  build: ["build"],
  dev: ["watch"],
  check: ["build", "check"],
  fix: ["fix addresses", "fix lint", "fix format"],
  "test:unit": ["build packages", "unit"],
  e2e: ["build", "e2e"],
  bed: ["build", "bed"],
  soak: ["build", "set up windows if possible", "soak"],
  windows: ["build", "set up windows", "windows"],
  mutants: ["build", "mutants"],
  fuzz: ["build packages", "fuzz"],
  bench: ["build", "bench"],
  conformance: ["build", "conformance"],
  bundle: ["build", "bundle"],
  site: ["site"],
  api: ["build packages", "api"],
};
/** If one of these fails, the run stops. After any other failure it goes on, so that one run shows all failures. */
const gates = new Set(["build", "build packages", "build tour", "set up windows"]);

/** @type {Set<import("node:child_process").ChildProcess>} */
const children = new Set();
/** @type {NodeJS.Signals | undefined} */
let stoppedBy;
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.on(signal, () => {
    stoppedBy = signal;
    // A terminal sends Ctrl-C to the whole process group; most programs take a second SIGINT for "quit now".
    if (signal !== "SIGINT" || !process.stdin.isTTY) for (const child of children) child.kill(signal);
  });
}

// npm passes SIGTERM to the shell it started us with, and that shell dies without passing it on.
const parent = process.ppid;
if (process.env["npm_lifecycle_event"]) {
  setInterval(() => process.ppid === parent || process.kill(process.pid, "SIGTERM"), 500).unref();
}

/**
 * @param {string[]} command
 * @param {(line: string) => void} [show] gets the lines that the command prints, instead of the terminal
 * @param {Record<string, string>} [env]
 * @returns {Promise<{ code: number; signal: NodeJS.Signals | null }>}
 */
function execute([program = "", ...args], show, env = {}) {
  return new Promise((resolve) => {
    const output = show ? "pipe" : "inherit";
    const child = spawn(program, args, {
      cwd: root,
      stdio: ["inherit", output, output],
      shell: process.platform === "win32",
      env: {
        ...process.env,
        PATH: `${join(root, "node_modules/.bin")}${delimiter}${process.env["PATH"]}`,
        TURBO_TELEMETRY_DISABLED: "1",
        DO_NOT_TRACK: "1",
        ...env,
      },
    });
    children.add(child);
    for (const stream of [child.stdout, child.stderr]) {
      if (stream && show) createInterface({ input: stream }).on("line", show);
    }
    child.on("error", (error) => {
      children.delete(child);
      console.error(error.message);
      resolve({ code: 127, signal: null });
    });
    child.on("close", (code, signal) => {
      children.delete(child);
      resolve({ code: code ?? 128 + (signal ? constants.signals[signal] : 0), signal });
    });
  });
}

/**
 * Shows all that the command prints if it fails, and otherwise only what `notice` makes of it.
 * @param {string[]} command
 * @param {(line: string) => void} notice
 * @param {Record<string, string>} [env]
 */
async function executeQuietly(command, notice, env) {
  /** @type {string[]} */
  const lines = [];
  const ended = await execute(
    command,
    (line) => {
      lines.push(line);
      notice(line);
    },
    env,
  );
  if (ended.code !== 0 && !stoppedBy) console.error(lines.join("\n"));
  return ended;
}

/** @param {string} line of turbo */
function noticeBuild(line) {
  const [, name] = /^@suite\/(\S+):build: cache (?!hit)/.exec(line) ?? [];
  if (name) console.log(`   building ${name}`);
}

/** @param {string} line of pnpm */
function noticeInstall(line) {
  const [, all, added, isDone] = /^Progress: resolved (\d+), .* added (\d+)(, done)?/.exec(line) ?? [];
  if (isDone) console.log(`${process.stdout.isTTY ? "\r" : ""}   ${added} packages added`);
  else if (all && process.stdout.isTTY) process.stdout.write(`\r   ${added} of ${all} packages`);
}

/** @param {string} line of pnpm */
function noticeCompiler(line) {
  const [, name] = /([^/]+) (?:pre|post)?install: gyp info spawn make/.exec(line) ?? [];
  if (name) console.log(`   compiling ${name}: no binary for this Node could be downloaded`);
}

/**
 * node-gyp would compile one file after the other. SQLite is a single file of nine megabytes: with -O3, as better-sqlite3 has it, it
 * takes twice as long to compile as with -O1, and is a tenth faster.
 */
const COMPILING = {
  JOBS: process.env["JOBS"] ?? "max",
  CFLAGS: process.env["CFLAGS"] ?? "-O1",
  CXXFLAGS: process.env["CXXFLAGS"] ?? "-O1",
};

/** A hash of everything an install depends on. If it equals the stamp, the last install is still valid. */
function hashInstallInputs() {
  const packages = listPackages(root);
  const hash = createHash("sha256").update(process.version);
  for (const file of ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"]) {
    hash.update(readFileSync(join(root, file)));
  }
  for (const directory of packages) {
    hash.update(directory).update(readFileSync(join(root, directory, "package.json")));
    hash.update(String(existsSync(join(root, directory, "node_modules"))));
  }
  return hash.digest("hex");
}

/**
 * @param {string | undefined} filter
 * @returns {string} what the stamp says after such an install
 */
const toStamp = (filter) => `${hashInstallInputs()} ${filter ?? ""}`;

/** @param {string | undefined} filter */
function isInstalled(filter) {
  const stamp = existsSync(stampFile) && readFileSync(stampFile, "utf8");
  return stamp === toStamp(undefined) || stamp === toStamp(filter);
}

/**
 * @param {string | undefined} filter the packages that are needed, or all
 * @returns {Promise<{ scripts: Promise<boolean> } | undefined>} unless it failed, the install scripts, which still run: the build
 *   does not need them
 */
async function install(filter) {
  if (isInstalled(filter)) return { scripts: Promise.resolve(true) };
  const { command, finish, missing, advice } = planInstall(root, manifest.packageManager, filter);
  if (missing.length > 0)
    console.log(`\npnpm-lock.yaml lacks ${missing.join(", ")} for this platform: resolving again`);
  console.log(`\n── install: ${command.join(" ")}`);
  const { code, signal } = await executeQuietly(command, noticeInstall);
  if (stoppedBy) stop(stoppedBy, signal === null && code !== 0 ? code : undefined);
  process.exitCode ||= code;
  if (code !== 0) console.error(`\n${advice}`);
  return code === 0 ? { scripts: finishInstall() } : undefined;

  async function finishInstall() {
    const ended = await executeQuietly(finish, noticeCompiler, COMPILING);
    process.exitCode ||= ended.code;
    if (ended.code === 0) writeFileSync(stampFile, toStamp(filter));
    else if (!stoppedBy) console.error(`\n${advice}`);
    return ended.code === 0;
  }
}

/**
 * @param {string} name
 * @param {string[]} args
 * @param {boolean} isBeside another that is shown
 */
async function runStep(name, args, isBeside) {
  const command = [...(steps[name] ?? "").split(" "), ...args];
  console.log(`\n── ${name}: ${command.join(" ")}`);
  // Before the tour, the names of the packages being built are enough, instead of turbo's own output.
  const ended = await (name === "build tour"
    ? executeQuietly([...command, "--output-logs=new-only"], noticeBuild)
    : isBeside
      ? executeQuietly(command, () => undefined)
      : execute(command));
  if (ended.code !== 0 && !stoppedBy) console.error(`\n✗ step "${name}" failed with exit code ${ended.code}`);
  return ended;
}

/**
 * @param {string} job
 * @param {string[]} args for the job's last step
 */
async function run(job, args) {
  const installed = await install(job === "start" ? TOUR : undefined);
  /** @type {string[]} */
  const failed = [];
  const groups = installed ? (jobs[job] ?? []).map((group) => [group].flat()) : [];
  for (const group of groups) {
    const isGate = group.some((name) => gates.has(name));
    if (!isGate && !(await installed?.scripts)) break;
    if (stoppedBy) return stop(stoppedBy, undefined);
    const isLast = group === groups.at(-1);
    const ended = await Promise.all(group.map((name, at) => runStep(name, isLast ? args : [], at > 0)));
    const { code, signal } = ended.find((one) => one.code !== 0) ?? { code: 0, signal: null };
    if (stoppedBy) return stop(stoppedBy, signal === null && (isLast || code !== 0) ? code : undefined);
    failed.push(...group.filter((_, at) => ended[at]?.code !== 0));
    process.exitCode ||= code;
    if (isGate && code !== 0) break;
  }
  if (!(await installed?.scripts)) failed.unshift("install");
  for (const test of listNotRun(join(root, resultsFolder))) console.log(`\n– not run: ${test}`);
  for (const failure of listFailures(join(root, resultsFolder)))
    console.error(`\n✗ ${failure.slice(0, 2000)}`);
  if (job === "e2e") for (const table of listTables(join(root, resultsFolder))) console.log(`\n${table}`);
  if (failed.length > 0) console.error(`\n✗ npm run ${job} failed: ${failed.join(", ")}`);
  if (job === "test") console.log(`\n${toClosingLine(join(root, resultsFolder), failed)}`);
  rmSync(join(root, resultsFolder), { recursive: true, force: true });
}

/**
 * Ends as the child did: with its exit code if it chose one, else by the same signal.
 * @param {NodeJS.Signals} signal
 * @param {number | undefined} code
 */
function stop(signal, code) {
  if (code !== undefined) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

const [given = "", ...args] = process.argv.slice(2);
/** With these arguments, `npm run e2e` tests the given server, or shows how to. */
const isForBed = args.some((arg) => /^--(server|help)\b/.test(arg));
const job = given === "e2e" && isForBed ? "bed" : given;
if (!Object.hasOwn(jobs, job)) {
  console.error(`usage: node scripts/run.mjs ${Object.keys(jobs).join(" | ")}`);
  process.exit(2);
}
await run(job, args);
