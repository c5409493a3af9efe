// Builds the package in the current directory. Its package.json decides how: what `exports` names becomes a
// library with declarations, what `bin` names becomes a self-contained program.
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { build as buildProgram } from "rolldown";

const HASHBANG = "#!/usr/bin/env node\n";

/**
 * `processes` names files that a program starts as processes of its own: programs too, but not for the command line.
 * `tools` names the module that exports a server's tools.
 * @type {{
 *   exports?: Record<string, string | { default: string }>;
 *   bin?: Record<string, string>;
 *   processes?: string[];
 *   tools?: string;
 *   dependencies?: Record<string, string>;
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
    return reached.server.has(id) && !reached.start.has(id) ? "server" : null;
  };
}

/**
 * @param {string[]} ids
 * @param {(id: string) => import("rolldown").ModuleInfo | null} getModuleInfo
 */
function reach(ids, getModuleInfo) {
  const reached = new Set(ids);
  for (const id of reached) for (const next of getModuleInfo(id)?.importedIds ?? []) reached.add(next);
  return reached;
}

// Names of chunks change with their content; without this, old ones would pile up and be published.
rmSync("dist", { recursive: true, force: true });

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
    sourcemap: "linked",
    logLevel: "warning",
  });
  const types = spawnSync("tsc", ["-p", "tsconfig.build.json"], {
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
for (const file of [...commandFiles, ...(manifest.processes ?? [])]) {
  // CommonJS, which Node 20 starts 5 ms sooner than the same code as modules (decision 0011).
  // Not esbuild: that one puts whatever the start shares with something lazy into files of their own, and every further
  // file costs a start more than a millisecond. Here it stays in the program, and what is lazy imports it from there;
  // so a program must not wait for anything at its top level.
  await buildProgram({
    input: toSource(file),
    platform: "node",
    // Everything is bundled but what must be installed beside the program, such as native modules.
    external: Object.keys(manifest.dependencies ?? {}),
    preserveEntrySignatures: false,
    output: {
      dir: "dist",
      format: "cjs",
      entryFileNames: "[name].js",
      chunkFileNames: "chunks/[name]-[hash].js",
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [{ name: toGroup(toSource(file)), debugName: "server" }],
      },
      sourcemap: true,
      // Start-up waits for the whole file to be scanned, so white space goes. Names stay, and with them readable stack
      // traces; the source map has the rest.
      minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
    },
  });
  chmodSync(file, 0o755);
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
    external: Object.keys(manifest.dependencies ?? {}),
    logLevel: "error",
  });
  const { tools, describeTools } = await import(pathToFileURL(outfile).href);
  rmSync(outfile);
  writeFileSync("dist/tools.json", `${JSON.stringify(describeTools(tools))}\n`);
}
