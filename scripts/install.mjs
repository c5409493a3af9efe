// Plans the install; the first one may run on a machine that has only Node and npm.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Prefixes of the packages with native programs of tools: there is one package per platform. */
const toolBindings = [
  "@turbo/",
  "@rolldown/binding-",
  "@oxlint/binding-",
  "@oxlint-tsgolint/",
  "@oxfmt/binding-",
];

/** @typedef {{ os: string, cpu: string, libc?: "glibc" | "musl" | undefined }} Platform */

/** @returns {Platform} */
function currentPlatform() {
  const { platform: os, arch: cpu } = process;
  if (os !== "linux") return { os, cpu };
  const report = /** @type {{ header?: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  return { os, cpu, libc: report.header?.glibcVersionRuntime ? "glibc" : "musl" };
}

/**
 * A lock file contains only the bindings that were available where it was written.
 * @param {string} lockFile
 * @param {Platform} platform
 * @returns {string[]} the prefixes for which this platform has no package
 */
export function listMissingBindings(lockFile, platform) {
  const entries = [...lockFile.matchAll(/^ {2}'(@[^']+)':\n((?: {4}.+\n)+)/gm)];
  return toolBindings.filter(
    (prefix) =>
      !entries.some(([, name = "", fields = ""]) => name.startsWith(prefix) && isFor(platform, fields)),
  );
}

/**
 * @param {Platform} platform
 * @param {string} fields of a package in a lock file
 */
function isFor({ os, cpu, libc }, fields) {
  /** @param {string} key */
  const list = (key) => new RegExp(`^ {4}${key}: \\[(.+)\\]$`, "m").exec(fields)?.[1]?.split(", ");
  const libcs = list("libc");
  return Boolean(
    list("os")?.includes(os) && list("cpu")?.includes(cpu) && (!libcs || libcs.includes(libc ?? "")),
  );
}

/**
 * Node's headers, if they are installed beside the program: with them, compiling a native module downloads nothing.
 * @param {string} program
 * @param {string} version
 * @returns {string | undefined} the directory above `include/node`
 */
export function findHeaders(program, version) {
  const directory = dirname(dirname(program));
  const file = join(directory, "include/node/node_version.h");
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, "utf8");
  const parts = ["MAJOR", "MINOR", "PATCH"].map(
    (part) => new RegExp(`#define NODE_${part}_VERSION (\\d+)`).exec(text)?.[1],
  );
  return `v${parts.join(".")}` === version ? directory : undefined;
}

/** What `npm start` shows, with all that it is built from. */
export const TOUR = "@suite/tour...";

/**
 * @param {string} root
 * @param {string} pnpm with its version
 * @param {string} [filter] the packages that are needed, in pnpm's notation; without it, all
 */
export function planInstall(
  root,
  pnpm,
  filter,
  platform = currentPlatform(),
  headers = findHeaders(process.execPath, process.version),
) {
  const missing = listMissingBindings(readFileSync(join(root, "pnpm-lock.yaml"), "utf8"), platform);
  // An interrupted install leaves a pnpm without its command, which npx takes for a working one. With another --prefix, npx
  // does not find it.
  const program = existsSync(join(root, "node_modules/.bin/pnpm"))
    ? ["pnpm"]
    : ["npx", "--yes", "--prefix", "scripts", pnpm];
  // Adding a dependency updates the lock file, except in CI, where it must be up to date already.
  const frozen = process.env["CI"] ? "--frozen-lockfile" : "--no-frozen-lockfile";
  const lockFile = missing.length > 0 ? "--fix-lockfile" : frozen;
  // Not as an environment variable: npm would warn about it.
  const nodedir = headers && !process.env["npm_config_nodedir"] ? [`--config.nodedir=${headers}`] : [];
  const log = ["--reporter=append-only"];
  const chosen = filter === undefined ? [] : ["--filter", filter];
  return {
    command: [...program, "install", lockFile, "--prefer-offline", "--ignore-scripts", ...chosen, ...log],
    // The install scripts that were left out, which take longer than all else: the build goes on beside them.
    finish: ["pnpm", "rebuild", "--recursive", "--pending", ...nodedir, ...log],
    missing,
    advice: toAdvice(headers),
  };
}

/** @param {string | undefined} headers */
function toAdvice(headers) {
  return `The install did not finish; the output above says why. The usual reasons:
- The npm registry cannot be reached: check npm's registry and proxy settings.
- better-sqlite3 could be neither downloaded nor compiled. Compiling needs Python 3, make, a C++ compiler and Node's headers.
  ${headers ? `Headers: ${join(headers, "include/node")}` : "There are no headers beside node: set npm_config_nodedir to a directory that has include/node for this version."}
  Compiler: build-essential on Debian and Ubuntu, \`xcode-select --install\` on macOS, Visual Studio Build Tools on Windows.
Then run the same command again. Packages that were downloaded are kept.`;
}
