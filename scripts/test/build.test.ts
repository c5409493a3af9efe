import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { writeTree } from "./tree.ts";

const toPath = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

function run(script: string, folder: string): number | null {
  const PATH = `${toPath("../../node_modules/.bin")}${delimiter}${process.env["PATH"]}`;
  const env = { ...process.env, PATH };
  return spawnSync(process.execPath, [toPath(`../${script}`)], { cwd: folder, env }).status;
}

function listFiles(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return paths.filter((path) => statSync(join(folder, path)).isFile()).toSorted();
}

/** A package that is a library and a program, with what an earlier build left in `dist`. */
function writePackage(): string {
  return writeTree({
    "package.json": JSON.stringify({
      type: "module",
      engines: { node: ">=20.19" },
      exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
      bin: { greet: "./dist/main.js" },
    }),
    "tsconfig.build.json": JSON.stringify({
      extends: toPath("../../tsconfig.base.json"),
      compilerOptions: { emitDeclarationOnly: true, rootDir: "src", outDir: "dist", types: [] },
      include: ["src/index.ts"],
    }),
    "src/index.ts": "export const greeting: string = 'hello';\n",
    "src/main.ts": "#!/usr/bin/env node\nvoid import('./later.ts');\n",
    "src/later.ts": "import { word } from 'dep';\nconsole.log(word);\n",
    "node_modules/dep/package.json": JSON.stringify({
      name: "dep",
      version: "1.2.3",
      license: "ISC",
      main: "dep.js",
    }),
    "node_modules/dep/dep.js": "exports.word = 'later';\n",
    "node_modules/dep/LICENSE.md": "Keep this notice.\n",
    "node_modules/unused/package.json": JSON.stringify({ name: "unused" }),
    "dist/index.js": "old",
    "dist/main.js": "old",
    "dist/gone.d.ts": "old",
    "dist/chunks/gone-1.js": "old",
    "dist/chunks/gone-1.js.map": "old",
  });
}

const BUILT = [
  "NOTICES.txt",
  expect.stringMatching(/^chunks\/later-.+\.js$/),
  expect.stringMatching(/^chunks\/later-.+\.js\.map$/),
  "index.d.ts",
  "index.js",
  "main.js",
  "package.json",
  "program.js",
  "program.js.map",
];

it("leaves nothing of an earlier build, and all of its own when nothing has changed", () => {
  const folder = writePackage();
  const buildAndList = (): string[] => {
    expect(run("build.mjs", folder)).toBe(0);
    return listFiles(join(folder, "dist"));
  };
  const built = buildAndList();
  expect(built).toEqual(BUILT);
  expect(buildAndList()).toEqual(built);
});

it("adds the licences of the packages whose code is in the program", () => {
  const folder = writePackage();
  expect(run("build.mjs", folder)).toBe(0);
  const [, ...notices] = readFileSync(join(folder, "dist/NOTICES.txt"), "utf8").split("\n\n== ");
  expect(notices).toEqual(["dep 1.2.3 (ISC)\n\nKeep this notice.\n"]);
});

it("leaves nothing of an earlier build when it fails, either", () => {
  const folder = writePackage();
  writeFileSync(join(folder, "src/index.ts"), "export const = ;\n");
  expect(run("build.mjs", folder)).not.toBe(0);
  expect(existsSync(join(folder, "dist"))).toBe(false);
});

it("leaves out of a package what the cache of builds has put beside it", () => {
  const folder = writePackage();
  expect(run("build.mjs", folder)).toBe(0);
  for (const stale of ["gone.d.ts", "gone.js", "gone.js.map", "gone.mjs"]) {
    writeFileSync(join(folder, "dist", stale), "old");
  }
  const kept = ["templates/build.mjs", "templates/types.d.ts"];
  mkdirSync(join(folder, "dist/templates"));
  for (const file of kept) writeFileSync(join(folder, "dist", file), "for a project");
  expect(run("prune.mjs", folder)).toBe(0);
  expect(listFiles(join(folder, "dist"))).toEqual([...BUILT, ...kept]);
});
