// Writes dist/templates of the package in the current directory: what it makes projects from, that is the sources of the
// servers and the scripts that build them.
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const templates = "dist/templates";
const TOOLS = ["@types/node", "esbuild", "rolldown", "typescript", "vitest", "yaml"];
const SCRIPTS = ["build.mjs", "cycles.mjs", "skills.mjs", "fixed-seed.ts"];

/** @param {string} file */
const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));
/**
 * @param {string} file
 * @param {object} value
 */
const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

/** @type {Record<string, string>} */
const workspaceTools = {
  ...readJson(`${root}package.json`).devDependencies,
  ...readJson(`${root}scripts/package.json`).devDependencies,
};
const tools = Object.fromEntries(TOOLS.map((tool) => [tool, workspaceTools[tool]]));

/** @param {Record<string, string>} dependencies */
function fromWorkspace(dependencies) {
  const entries = Object.entries(dependencies).map(([name, version]) => {
    if (!version.startsWith("workspace:")) return [name, version];
    return [name, `^${readJson(`${root}packages/${name.replace("@suite/", "")}/package.json`).version}`];
  });
  return Object.fromEntries(entries.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1)));
}

/**
 * A fork is a program only.
 * @param {Record<string, string>} peers
 */
const withoutKit = ({ "@suite/server-kit": _kit, ...others }) => others;

/** @param {string} server */
function toManifest(server) {
  const {
    name,
    description,
    type,
    engines,
    bin,
    tools: list,
    views,
    processes,
    ...rest
  } = readJson(`${root}servers/${server}/package.json`);
  return {
    name,
    mcpName: "",
    version: "0.1.0",
    private: true,
    description,
    license: rest.license,
    type,
    engines,
    bin,
    files: ["dist", "!dist/**/*.map"],
    tools: list,
    views,
    processes,
    scripts: { build: "node scripts/build.mjs", start: "node dist/main.js", test: "tsc && vitest run" },
    dependencies: rest.dependencies && fromWorkspace(rest.dependencies),
    devDependencies: fromWorkspace({ ...rest.devDependencies, ...tools }),
    peerDependencies: fromWorkspace(withoutKit(rest.peerDependencies)),
    peerDependenciesMeta: withoutKit(rest.peerDependenciesMeta),
    // One bundler, for the build and for vitest.
    overrides: { rolldown: "$rolldown" },
  };
}

rmSync(templates, { recursive: true, force: true });
mkdirSync(`${templates}/project/scripts`, { recursive: true });
for (const script of SCRIPTS) {
  copyFileSync(`${root}scripts/${script}`, `${templates}/project/scripts/${script}`);
}
// Not as LICENSE: pnpm would take it for the license of the package, and not add that one.
copyFileSync(`${root}LICENSE`, `${templates}/terms.txt`);
copyFileSync("project/vitest.config.ts", `${templates}/project/vitest.config.ts`);
const { extends: _, compilerOptions, ...files } = readJson(`${root}servers/notes/tsconfig.json`);
const base = readJson(`${root}tsconfig.base.json`).compilerOptions;
writeJson(`${templates}/project/tsconfig.json`, {
  compilerOptions: { ...base, ...compilerOptions },
  ...files,
  // They run in a browser, and have settings of their own.
  exclude: ["src/views"],
});

for (const server of readdirSync(`${root}servers`)) {
  const target = `${templates}/${server}`;
  for (const part of ["src", "test", "skills", "README.md"].filter((name) =>
    existsSync(`${root}servers/${server}/${name}`),
  )) {
    cpSync(`${root}servers/${server}/${part}`, `${target}/${part}`, { recursive: true });
  }
  writeJson(`${target}/manifest.json`, toManifest(server));
}
cpSync("project/notes", `${templates}/notes`, { recursive: true });
