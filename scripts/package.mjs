// Packs the package in the current directory as it would be published, and checks its contents.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toAddresses } from "./addresses.mjs";

const KIB = 1024;
/** A program, and the same server as a library with its types. */
const SERVER_LIMIT = 2176 * KIB;
/**
 * The size that a package may have once installed.
 * @type {Record<string, number>}
 */
const LIMITS = {
  "@suite/auth": 160 * KIB,
  "@suite/client": 512 * KIB,
  "@suite/create-server": 3200 * KIB,
  "@suite/core": 576 * KIB,
  "@suite/server-kit": 576 * KIB,
  "@suite/replicas": 128 * KIB,
  // A validator and the official schemas, in the program and in the library.
  "@suite/check": 1280 * KIB,
  "@suite/documents": 96 * KIB,
};
const REQUIRED = ["name", "version", "description", "keywords", "license", "engines", "exports", "files"];

/** @type {import("node:child_process").ChildProcess | undefined} */
let child;
/** @type {NodeJS.Signals | undefined} */
let stoppedBy;
// Turbo stops its other tasks when one fails.
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.once(signal, () => {
    stoppedBy = signal;
    // With SIGTERM: pnpm leaves SIGINT to the script that it runs.
    child?.kill();
  });
}

/**
 * @param {string[]} command
 * @returns {Promise<{ ok: boolean; output: string }>}
 */
function run([program = "", ...args]) {
  return new Promise((resolve, reject) => {
    const options = { shell: process.platform === "win32" };
    child = execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ ok: !error, output: `${stdout}${stderr}`.trim() });
    });
    // Processes that it started may go on, and keep its output open.
    child.on("exit", () => stoppedBy && reject(new Error(`Stopped by ${stoppedBy}`)));
  });
}

/**
 * @param {string} folder
 * @returns {{ path: string; size: number }[]}
 */
function listFiles(folder) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => ({ path: path.replaceAll("\\", "/"), stats: statSync(join(folder, path)) }))
    .filter(({ stats }) => stats.isFile())
    .map(({ path, stats }) => ({ path, size: stats.size }));
}

/**
 * @param {Record<string, unknown>} manifest
 * @param {{ path: string; size: number }[]} files
 */
function* check(manifest, files) {
  const { name, tools, dependencies } = /** @type {any} */ (manifest);
  for (const key of REQUIRED) if (!(key in manifest)) yield `package.json lacks ${key}`;
  for (const file of ["README.md", "LICENSE", ...(tools ? ["dist/NOTICES.txt"] : [])]) {
    if (!files.some(({ path }) => path === file)) yield `${file} is not in the package`;
  }
  for (const { path } of files) {
    if (!/^(dist\/.+|README\.md|LICENSE|CHANGELOG\.md|package\.json)$/.test(path) || path.endsWith(".map")) {
      yield `${path} does not belong in the package`;
    }
  }
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const limit = LIMITS[name] ?? SERVER_LIMIT;
  if (bytes > limit) yield `${bytes} bytes are more than its limit of ${limit} (scripts/package.mjs)`;
  for (const [key, value] of Object.entries(toAddresses(process.cwd(), /** @type {any} */ (manifest)))) {
    const wanted = JSON.stringify(value);
    if (JSON.stringify(manifest[key]) !== wanted) yield `${key} is not ${wanted} (npm run fix writes it)`;
  }
  if (tools && Object.keys(dependencies ?? {}).length > 1) yield "a server may have one dependency at most";
}

const folder = mkdtempSync(join(tmpdir(), "suite-package-"));
try {
  const packed = await run(["pnpm", "pack", "--pack-destination", folder]);
  if (!packed.ok) throw new Error(packed.output);
  const tarball = join(folder, readdirSync(folder)[0] ?? "");
  await run(["tar", "-xzf", tarball, "-C", folder]);
  const content = join(folder, "package");
  const manifest = JSON.parse(readFileSync(join(content, "package.json"), "utf8"));
  const problems = [...check(manifest, listFiles(content))];
  const linters = [["publint", "run", "--strict", tarball]];
  // Only packages that are imported have types.
  if (existsSync(join(content, "dist/index.d.ts"))) linters.push(["attw", tarball, "--profile", "esm-only"]);
  for (const command of linters) {
    const { ok, output } = await run(command);
    if (!ok) problems.push(output);
  }
  for (const problem of problems) console.error(`${manifest.name}: ${problem}`);
  process.exitCode = problems.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
  if (stoppedBy) process.kill(process.pid, stoppedBy);
}
