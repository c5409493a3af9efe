// Builds the package in the current directory. Its package.json decides how: what `exports` names becomes a
// library with declarations, what `bin` names becomes a self-contained program.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, transform } from "esbuild";
import { build as buildProgram } from "rolldown";
import { findCycle } from "./cycles.mjs";

const HASHBANG = "#!/usr/bin/env node\n";

/**
 * Any Node can parse this, and says which one the program needs: hosts often start another than the shell does. Where Node can
 * keep compiled code (22 and later), the next start is spared the compiling; in the user's own folder, because Node runs what it
 * finds there, and others could write where it would keep it by default.
 * @param {string} command
 * @param {string} engine such as >=20.19
 */
function toLauncher(command, engine) {
  const [major, minor] = engine.replace(">=", "").split(".");
  return `${HASHBANG}var version = process.versions.node;
var parts = version.split(".");
if (parts[0] > ${major} || (parts[0] == ${major} && parts[1] >= ${minor})) {
  var loader = require("module");
  var env = process.env;
  var cache = env.XDG_CACHE_HOME || env.LOCALAPPDATA || (env.HOME && env.HOME + "/.cache");
  if (loader.enableCompileCache && cache) loader.enableCompileCache(cache + "/suite-servers");
  require("./program.js");
} else {
  console.error("${command} needs Node ${major}.${minor} or later; this is Node " + version + " at " + process.execPath);
  process.exitCode = 78;
}
`;
}

/**
 * `processes` names files that a program starts as processes of its own: programs too, but not for the command line.
 * `tools` names the module that exports a server's tools.
 * @type {{
 *   engines: { node: string };
 *   exports?: Record<string, string | { default: string }>;
 *   bin?: Record<string, string>;
 *   processes?: string[];
 *   tools?: string;
 *   dependencies?: Record<string, string>;
 *   peerDependencies?: Record<string, string>;
 * }}
 */
const manifest = JSON.parse(readFileSync("package.json", "utf8"));

const libraryFiles = Object.values(manifest.exports ?? {})
  .map((target) => (typeof target === "string" ? target : target.default))
  .filter((file) => file.endsWith(".js"));
const commandFiles = Object.values(manifest.bin ?? {});

/** @param {string} file */
const toSource = (file) => file.replace(/^\.\/dist\//, "src/").replace(/\.js$/, ".ts");

/**
 * For what no server does. Of undici, to agree on HTTP/2 and to send forms: half of what a first request would have to load.
 * Of the client of Redis, to talk to several of them.
 */
const UNUSED =
  /[\\/](?:undici[\\/]lib[\\/](?:dispatcher[\\/]client-h2|web[\\/]fetch[\\/]body)|@redis[\\/]client[\\/]dist[\\/]lib[\\/](?:cluster|sentinel)[\\/]index)\.js$/;

/** Most of what a server takes up. Here names are shortened; none of these looks at its own. */
const LARGE =
  /node_modules[\\/](?:@redis[\\/]client|undici|@mdream[\\/]js|@mozilla[\\/]readability|feedsmith|fast-xml-parser|htmlparser2|ws)[\\/].+\.m?js$/;

/** @param {string} code */
async function shorten(code) {
  const format = /^(?:import|export)\b/m.test(code) ? "esm" : "cjs";
  const { code: short, map } = await transform(code, {
    format,
    platform: "node",
    target: "node20.19",
    minifyIdentifiers: true,
    minifySyntax: true,
    sourcemap: true,
  });
  return { code: short, map };
}

/**
 * Start-up waits for the whole file to be read and scanned, so white space goes, and what is not ASCII is escaped: a single
 * other character would make Node decode the file letter by letter, into a text of twice the size. Names stay, and with them
 * readable stack traces; the source map has the rest.
 * @param {string} code
 */
async function compact(code) {
  const { code: short, map } = await transform(code, {
    platform: "node",
    target: "node20.19",
    charset: "ascii",
    minifyWhitespace: true,
    sourcemap: true,
  });
  return { code: short, map };
}

/**
 * What the first request needs goes into one file: every further one costs it more than a millisecond.
 * @param {string} entry
 * @returns {(id: string, context: { getModuleInfo: (id: string) => import("rolldown").ModuleInfo | null }) => string | null}
 */
function toGroup(entry) {
  /** @type {{ start: Set<string>, server: Set<string> } | undefined} */
  let reached;
  return (id, context) => {
    const getModuleInfo = (/** @type {string} */ module) => context.getModuleInfo(module);
    if (!reached) {
      const start = reach([resolve(entry)], getModuleInfo);
      reached = { start, server: reach([resolve("src/server.ts")], getModuleInfo) };
    }
    // rolldown puts the group that the entry is in into the file of the entry.
    if (reached.start.has(id)) return "start";
    return reached.server.has(id) ? "server" : null;
  };
}

/**
 * What several of the files for later share is one file for each folder, for the same reason.
 * @param {string} id
 */
const toFolder = (id) => /[\\/]src[\\/]domain[\\/](\w+)[\\/]/.exec(id)?.[1] ?? null;

/**
 * @param {string[]} ids
 * @param {(id: string) => import("rolldown").ModuleInfo | null} getModuleInfo
 */
function reach(ids, getModuleInfo) {
  const reached = new Set(ids);
  for (const id of reached) for (const next of getModuleInfo(id)?.importedIds ?? []) reached.add(next);
  return reached;
}

/**
 * When each file in dist was last written.
 * @returns {Map<string, bigint>}
 */
function listTimes() {
  const paths = existsSync("dist") ? readdirSync("dist", { recursive: true, encoding: "utf8" }) : [];
  const found = paths.map((path) => ({ path, stats: statSync(`dist/${path}`, { bigint: true }) }));
  return new Map(found.filter(({ stats }) => stats.isFile()).map(({ path, stats }) => [path, stats.mtimeNs]));
}

const timesBefore = listTimes();

if (libraryFiles.length > 0) {
  await build({
    entryPoints: libraryFiles.map(toSource),
    outdir: "dist",
    outbase: "src",
    bundle: true,
    splitting: true,
    packages: "external",
    chunkNames: "chunks/[name]-[hash]",
    format: "esm",
    platform: "node",
    target: "node20.19",
    logLevel: "warning",
  });
  // Whether they are right is what `npm run check` finds out.
  const types = spawnSync("tsc", ["-p", "tsconfig.build.json", "--noCheck"], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (types.status !== 0) process.exit(types.status ?? 1);
}

for (const file of commandFiles) {
  if (!readFileSync(toSource(file), "utf8").startsWith(HASHBANG)) {
    throw new Error(`${toSource(file)} is a program: its first line must be ${HASHBANG.trim()}`);
  }
}
/** Each with the name of its file: what a command starts with is a launcher, and the program is beside it. */
const programs = [
  ...commandFiles.map((file) => ({ name: "program", source: toSource(file) })),
  ...(manifest.processes ?? []).map((file) => ({ name: basename(file, ".js"), source: toSource(file) })),
];
for (const { name, source } of programs) {
  // CommonJS, which Node 20 starts 5 ms sooner than the same code as modules (decision 0011).
  // Not esbuild: that one puts whatever the start shares with something lazy into files of their own, and every further
  // file costs a start more than a millisecond. Here it stays in the program.
  const { output } = await buildProgram({
    input: { [name]: source },
    platform: "node",
    // Everything is bundled but what must be installed beside the program, such as native modules.
    external: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
    plugins: [
      { name: "unused", load: (id) => (UNUSED.test(id) ? "module.exports = {};" : null) },
      { name: "large", transform: (code, id) => (LARGE.test(id) ? shorten(code) : null) },
      { name: "compact", renderChunk: compact },
    ],
    preserveEntrySignatures: false,
    output: {
      dir: "dist",
      format: "cjs",
      entryFileNames: "[name].js",
      chunkFileNames: "chunks/[name]-[hash].js",
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [
          { name: toGroup(source), debugName: "start and server" },
          { name: toFolder, minShareCount: 2, debugName: "shared by what is loaded later" },
        ],
      },
      sourcemap: true,
      // It would write the files once more.
      minify: false,
    },
  });
  const cycle = findCycle(
    new Map(output.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file.imports]] : []))),
  );
  if (cycle) throw new Error(`Files of ${name} need each other to load: ${cycle.join(" > ")}`);
}
for (const [command, file] of Object.entries(manifest.bin ?? {})) {
  writeFileSync(file, toLauncher(command, manifest.engines.node), { mode: 0o755 });
  writeFileSync("dist/package.json", `${JSON.stringify({ type: "commonjs" })}\n`);
}

if (manifest.tools) {
  // What the program lists before it has loaded its tools: made from the same definitions, once, here.
  const entry = `export { tools } from "${manifest.tools}"; export { describeTools } from "@suite/server-kit";`;
  const outfile = `${process.cwd()}/dist/tool-list.cjs`;
  await build({
    stdin: { contents: entry, resolveDir: "." },
    outfile,
    bundle: true,
    format: "cjs",
    platform: "node",
    external: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
    logLevel: "error",
  });
  const { tools, describeTools } = await import(pathToFileURL(outfile).href);
  rmSync(outfile);
  writeFileSync("dist/tools.json", `${JSON.stringify(describeTools(tools))}\n`);
}

// Names of chunks change with their content; without this, old ones would pile up and be published. Only now, so that
// whoever runs the program meanwhile finds its files.
for (const [path, time] of listTimes()) if (timesBefore.get(path) === time) rmSync(`dist/${path}`);
