// `npm start`, `npm test` and most `npm run …` commands run this. Only Node and npm are needed: npx fetches the pinned pnpm
// for the first install; afterwards it is a dependency of the workspace like any other tool.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { planInstall } from "./install.mjs";
import { listFailures, listNotRun, listTables, toClosingLine } from "./results.mjs";
import { listPackages } from "./workspace.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const stampFile = join(root, "node_modules/.install-stamp");
const resultsFolder = `node_modules/.cache/tests-${process.pid}`;

/** @param {string} project */
const vitest = (project) =>
  `vitest run --project ${project} --reporter=default --reporter=json --outputFile.json=${resultsFolder}/${project}.json`;

/** @type {Record<string, string>} */
const steps = {
  build: "turbo run build after-build",
  "build packages": "turbo run build after-build --filter=!@suite/e2e",
  watch: "turbo watch build after-build --output-logs=full",
  tour: "node e2e/dist/tour/main.js",
  bench: "node e2e/dist/bench/main.js",
  conformance: "node e2e/dist/conformance/main.js",
  bundle: "node e2e/dist/bundle/main.js",
  bed: "node e2e/dist/bed/main.js",
  unit: vitest("unit"),
  e2e: vitest("e2e"),
  soak: vitest("soak"),
  mutants: "node scripts/mutants.mjs",
  // In parallel: checking types keeps one core busy for half a minute.
  check:
    "turbo run check:lint check:unused check:boundaries check:format check:words check:package --continue",
  "fix addresses": "node scripts/addresses.mjs",
  "fix lint": "oxlint --fix",
  "fix format": "oxfmt",
};

/** @type {Record<string, string[]>} */
const jobs = {
  start: ["build", "tour"],
  test: ["build", "check", "unit", "e2e"],
  build: ["build"],
  dev: ["watch"],
  check: ["build", "check"],
  fix: ["fix addresses", "fix lint", "fix format"],
  "test:unit": ["build packages", "unit"],
  e2e: ["build", "e2e"],
  bed: ["build", "bed"],
  soak: ["build", "soak"],
  mutants: ["build", "mutants"],
  bench: ["build", "bench"],
  conformance: ["build", "conformance"],
  bundle: ["build", "bundle"],
};
/** If one of these fails, the run stops. After any other failure it goes on, so that one run shows all failures. */
const gates = new Set(["build"]);

/** @type {import("node:child_process").ChildProcess | undefined} */
let child;
/** @type {NodeJS.Signals | undefined} */
let stoppedBy;
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.on(signal, () => {
    stoppedBy = signal;
    // A terminal sends Ctrl-C to the whole process group; most programs take a second SIGINT for "quit now".
    if (signal !== "SIGINT" || !process.stdin.isTTY) child?.kill(signal);
  });
}

// npm passes SIGTERM to the shell it started us with, and that shell dies without passing it on.
const parent = process.ppid;
if (process.env["npm_lifecycle_event"]) {
  setInterval(() => process.ppid === parent || process.kill(process.pid, "SIGTERM"), 500).unref();
}

/**
 * Before the tour, the names of the packages being built are enough, instead of turbo's own output.
 * @param {import("node:stream").Readable} output
 */
function showWhatIsBuilt(output) {
  createInterface({ input: output }).on("line", (line) => {
    const [, name] = /^@suite\/(\S+):build: cache (?!hit)/.exec(line) ?? [];
    if (name) console.log(`   building ${name}`);
  });
}

/**
 * @param {string[]} command
 * @param {(output: import("node:stream").Readable) => void} [show] instead of the command's own standard output
 * @returns {Promise<{ code: number; signal: NodeJS.Signals | null }>}
 */
function execute([program = "", ...args], show) {
  return new Promise((resolve) => {
    child = spawn(program, args, {
      cwd: root,
      stdio: ["inherit", show ? "pipe" : "inherit", "inherit"],
      shell: process.platform === "win32",
      env: {
        ...process.env,
        PATH: `${join(root, "node_modules/.bin")}${delimiter}${process.env["PATH"]}`,
        TURBO_TELEMETRY_DISABLED: "1",
        DO_NOT_TRACK: "1",
      },
    });
    if (child.stdout) show?.(child.stdout);
    child.on("error", (error) => {
      console.error(error.message);
      resolve({ code: 127, signal: null });
    });
    child.on("exit", (code, signal) => {
      resolve({ code: code ?? 128 + (signal ? constants.signals[signal] : 0), signal });
    });
  });
}

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

const isInstalled = () => existsSync(stampFile) && readFileSync(stampFile, "utf8") === hashInstallInputs();

/** @returns {Promise<boolean>} whether everything is there now */
async function install() {
  if (isInstalled()) return true;
  const { command, missing, advice } = planInstall(root, manifest.packageManager);
  if (missing.length > 0)
    console.log(`\npnpm-lock.yaml lacks ${missing.join(", ")} for this platform: resolving again`);
  console.log(`\n── install: ${command.join(" ")}`);
  console.log(
    "   The first time takes a minute or two, and a few more where better-sqlite3 has to be compiled.\n" +
      "   It may warn of bins that cannot be created: they are built in the next step.",
  );
  const { code, signal } = await execute(command);
  if (stoppedBy) stop(stoppedBy, signal === null && code !== 0 ? code : undefined);
  if (code === 0) writeFileSync(stampFile, hashInstallInputs());
  else console.error(`\n${advice}`);
  process.exitCode ||= code;
  return code === 0;
}

/**
 * @param {string} job
 * @param {string[]} args for the job's last step
 */
async function run(job, args) {
  const failed = (await install()) ? [] : ["install"];
  const names = failed.length > 0 ? [] : (jobs[job] ?? []);
  for (const name of names) {
    const isLast = name === names.at(-1);
    const command = [...(steps[name] ?? "").split(" "), ...(isLast ? args : [])];
    const isAside = job === "start" && name === "build";
    console.log(`\n── ${name}: ${command.join(" ")}`);
    let { code, signal } = isAside
      ? await execute([...command, "--output-logs=hash-only"], showWhatIsBuilt)
      : await execute(command);
    // Run again, to show turbo's own output.
    if (isAside && code !== 0 && !stoppedBy) ({ code, signal } = await execute(command));
    if (stoppedBy) return stop(stoppedBy, signal === null && (isLast || code !== 0) ? code : undefined);
    if (code === 0) continue;
    console.error(`\n✗ step "${name}" failed with exit code ${code}`);
    failed.push(name);
    process.exitCode ||= code;
    if (gates.has(name)) break;
  }
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
const isForBed = args.some((arg) => /^--(command|url|server|help)\b/.test(arg));
const job = given === "e2e" && isForBed ? "bed" : given;
if (!Object.hasOwn(jobs, job)) {
  console.error(`usage: node scripts/run.mjs ${Object.keys(jobs).join(" | ")}`);
  process.exit(2);
}
await run(job, args);
