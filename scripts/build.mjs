// Builds the package in the current directory. Its package.json decides how: what `exports` names becomes a
// library with declarations, what `bin` names becomes a self-contained program. A server is both.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, transform } from "esbuild";
import { build as buildProgram } from "rolldown";
import { findCycle } from "./cycles.mjs";
import { describeSkills } from "./skills.mjs";

const HASHBANG = "#!/usr/bin/env node\n";

/**
 * Any version of Node can parse this, so it can report which one the program needs: hosts often start another than the shell
 * does. Where Node can cache compiled code (22 and later), later starts need not compile. The cache is in the user's own folder:
 * Node runs what it finds there, and others could write to the default one.
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
 * `processes` names files that a program starts as separate processes: also programs, but not for the command line.
 * `tools` names the module that exports a server's tools.
 * `views` names the scripts of the pages that show results to people.
 * @type {{
 *   engines: { node: string };
 *   exports?: Record<string, string | { default: string }>;
 *   bin?: Record<string, string>;
 *   processes?: string[];
 *   tools?: string;
 *   views?: Record<string, string>;
 *   dependencies?: Record<string, string>;
 *   peerDependencies?: Record<string, string>;
 * }}
 */
const manifest = JSON.parse(readFileSync("package.json", "utf8"));

const libraryFiles = Object.values(manifest.exports ?? {})
  .map((target) => (typeof target === "string" ? target : target.default))
  .filter((file) => /\.m?js$/.test(file));
const commandFiles = Object.values(manifest.bin ?? {});
/** Programs are CommonJS: one that is also a library has them in a folder of their own. */
const home = dirname(commandFiles[0] ?? "dist/main.js");
/** Or the library beside it has another ending: that of a server finds the same files as the program. */
const isServer = libraryFiles.some((file) => file.endsWith(".mjs"));
const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
/** What must be installed beside a program, such as native modules. */
const besideProgram = installed.filter((name) => !isServer || name !== "@suite/server-kit");

/** @param {string} file */
const toSource = (file) => file.replace(/^\.\/dist\//, "src/").replace(/\.m?js$/, ".ts");

/**
 * Modules that no server needs: HTTP/2 and forms in undici, half of what a first request would load; the tree that css-select
 * would take if it were not given another.
 */
const UNUSED =
  /[\\/](?:undici[\\/]lib[\\/](?:dispatcher[\\/]client-h2|web[\\/]fetch[\\/]body)|domutils[\\/]dist[\\/](?:esm[\\/])?index)\.js$/;

/** Most of a server's size. Identifiers are minified here: none of these packages depends on its own names. */
const LARGE =
  /node_modules[\\/](?:undici|@mozilla[\\/]readability|feedsmith|fast-xml-parser|parse5|entities|@csstools[\\/][\w-]+|css-select|css-what|nth-check|boolbase|robots-parser|http-cache-semantics|ipaddr\.js|@nodable[\\/]entities|path-expression-matcher|strnum|xml-naming|valibot|ws)[\\/].+\.m?js$/;

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
 * Start-up waits for the whole file to be read and scanned, so white space is removed, and non-ASCII characters are escaped: a
 * single one would make Node decode the file character by character, into a string of twice the size. Names stay, for readable
 * stack traces; the source map has the rest.
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
 * Everything the first request needs goes into one file: each additional one costs more than a millisecond.
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
 * Modules shared by several files that load later become one file per folder, for the same reason.
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
 * The notices of all packages whose code is in a program: their licences ask for a copy wherever it goes.
 * @param {Iterable<string>} ids of modules
 */
function toNotices(ids) {
  /** @type {Map<string, string>} */
  const texts = new Map();
  for (const folder of new Set(
    [...ids].flatMap((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id) ?? []),
  )) {
    // A package may contain a bundled one, without its manifest.
    if (!existsSync(`${folder}/package.json`)) continue;
    const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    const notices = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && /^(?:licen[cs]e|copying|notice)/i.test(entry.name))
      .map((entry) => readFileSync(`${folder}/${entry.name}`, "utf8").trim());
    const text = notices.join("\n\n") || "The package comes without a licence text.";
    texts.set(`${name} ${version} (${license})`, text);
  }
  return [...texts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, text]) => `== ${title}\n\n${text}\n`);
}

/** Styles are text in the script of a page.
 * @type {import("esbuild").Plugin} */
const styles = {
  name: "styles",
  setup: (plugin) =>
    plugin.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, "utf8"), { loader: "css", minify: true });
      return { contents: code, loader: "text" };
    }),
};

const LARGEST_PAGE = 80 * 1024;

/**
 * A page of one file, which needs nothing else: hosts forbid it every connection. Returns the modules in it.
 * @param {string} name
 * @param {string} source
 */
async function buildView(name, source) {
  const { outputFiles, metafile } = await build({
    entryPoints: [source],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
    plugins: [styles],
  });
  const script = outputFiles[0]?.text.replaceAll("</script", "<\\/script") ?? "";
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${name}</title>`;
  const page = `<!doctype html><html lang="en"><head>${head}</head><body><script>${script}</script></body></html>\n`;
  const size = Buffer.byteLength(page);
  if (size > LARGEST_PAGE) throw new Error(`The view ${name} has ${size} bytes, more than ${LARGEST_PAGE}`);
  mkdirSync("dist/views", { recursive: true });
  writeFileSync(`dist/views/${name}.html`, page);
  return Object.keys(metafile.inputs).map((file) => resolve(file));
}

// Chunk names change with their content, and a failed build must not leave the programs of an earlier one to be run.
rmSync("dist", { recursive: true, force: true });

if (libraryFiles.length > 0) {
  await build({
    entryPoints: libraryFiles.map(toSource),
    outdir: "dist",
    outbase: "src",
    bundle: true,
    splitting: true,
    // What is only needed to build a package is no dependency of whoever installs it: it goes into the library.
    external: installed,
    ...(isServer && { outExtension: { ".js": ".mjs" }, minify: true }),
    chunkNames: "chunks/[name]-[hash]",
    format: "esm",
    platform: "node",
    target: "node20.19",
    logLevel: "warning",
    // Parts of the core that are imported for nothing once they are in a library.
    logOverride: { "ignored-bare-import": "silent" },
    plugins: [styles],
  });
  // `npm run check` checks the types.
  const types = spawnSync("tsc", ["-p", "tsconfig.build.json", "--noCheck"], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (types.status !== 0) process.exit(types.status ?? 1);
  // Everything else of a server is CommonJS.
  if (isServer) writeFileSync("dist/types/package.json", `${JSON.stringify({ type: "module" })}\n`);
}

for (const file of commandFiles) {
  if (!readFileSync(toSource(file), "utf8").startsWith(HASHBANG)) {
    throw new Error(`${toSource(file)} is a program: its first line must be ${HASHBANG.trim()}`);
  }
}
/** With the name of the output file: a command starts a launcher, and the program is beside it. */
const programs = [
  ...commandFiles.map((file) => ({ name: "program", source: toSource(file) })),
  ...(manifest.processes ?? []).map((file) => ({ name: basename(file, ".js"), source: toSource(file) })),
];
/** @type {Set<string>} */
const bundled = new Set();
for (const { name, source } of programs) {
  // CommonJS, which Node 20 starts 5 ms sooner than the same code as modules (decision 0011).
  // Not esbuild: it puts modules that start-up shares with lazily loaded code into separate files, and every further
  // file costs a start more than a millisecond. rolldown keeps them in the program.
  const { output } = await buildProgram({
    input: { [name]: source },
    platform: "node",
    external: besideProgram,
    plugins: [
      { name: "unused", load: (id) => (UNUSED.test(id) ? "module.exports = {};" : null) },
      { name: "large", transform: (code, id) => (LARGE.test(id) ? shorten(code) : null) },
      { name: "compact", renderChunk: compact },
    ],
    preserveEntrySignatures: false,
    output: {
      dir: home,
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
      // Minifying would generate every file a second time.
      minify: false,
    },
  });
  const cycle = findCycle(
    new Map(output.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file.imports]] : []))),
  );
  if (cycle) throw new Error(`Output files of ${name} import each other in a cycle: ${cycle.join(" > ")}`);
  for (const file of output) if (file.type === "chunk") for (const id of file.moduleIds) bundled.add(id);
}
for (const [name, source] of Object.entries(manifest.views ?? {}))
  for (const id of await buildView(name, source)) bundled.add(id);
const notices = toNotices(bundled);
if (notices.length > 0) {
  const text = ["This program contains code of these packages.\n", ...notices].join("\n");
  writeFileSync(`${home}/NOTICES.txt`, text);
}
for (const [command, file] of Object.entries(manifest.bin ?? {})) {
  writeFileSync(file, toLauncher(command, manifest.engines.node), { mode: 0o755 });
  writeFileSync(`${home}/package.json`, `${JSON.stringify({ type: "commonjs" })}\n`);
}

if (manifest.tools) {
  // The tool list that the program sends before it has loaded its tools, made from the same definitions.
  const entry = `export { tools } from "${manifest.tools}"; export { describeTools } from "@suite/server-kit";`;
  const outfile = `${process.cwd()}/dist/tool-list.cjs`;
  await build({
    stdin: { contents: entry, resolveDir: "." },
    outfile,
    bundle: true,
    format: "cjs",
    platform: "node",
    external: besideProgram,
    logLevel: "error",
  });
  const { tools, describeTools } = await import(pathToFileURL(outfile).href);
  rmSync(outfile);
  const described = describeTools(tools);
  const { views } = manifest;
  for (const { name, view } of described)
    if (views && view !== undefined && !(view in views))
      throw new Error(`package.json has no view ${view}, which ${name} names`);
  writeFileSync("dist/tools.json", `${JSON.stringify(described)}\n`);
}

if (existsSync("skills")) {
  cpSync("skills", "dist/skills", { recursive: true });
  writeFileSync("dist/skills.json", `${JSON.stringify(describeSkills("skills"))}\n`);
}
