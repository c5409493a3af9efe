import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PATIENCE_MS } from "../support/patience.ts";
import { blocksOf, type CodeBlock, placeOf, readDocuments, ROOT } from "./documents.ts";

const blocks = readDocuments().flatMap(blocksOf);
const code = blocks.filter(({ language }) => language === "ts");
/** For a folder outside the clone, without a build. */
const scripts = blocks.filter(({ language, marks }) => language === "js" && marks.includes("program"));
const programs = code.filter(({ marks }) => marks.includes("program"));

/** Where all packages of the suite resolve, and where nobody else looks for sources. */
const home = join(ROOT, "e2e/node_modules");
let folder = "";
let compiler: { readonly status: number | null; readonly stdout: string } | undefined;

/** Blocks that name the file they belong to see that file's neighbours; others stand alone. */
const fileOf = (block: CodeBlock): string =>
  block.marks.find((mark) => mark.startsWith("file="))?.slice("file=".length) ??
  `${placeOf(block).replaceAll(/[^a-z0-9]+/gi, "-")}.ts`;

const CONFIGURATION = {
  extends: join(ROOT, "tsconfig.base.json"),
  compilerOptions: {
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules/@types")],
    isolatedDeclarations: false,
    declaration: false,
    sourceMap: false,
    rootDirs: [ROOT, "."],
    rootDir: ROOT,
    // Neighbours are compiled too, and must not be written beside their sources.
    outDir: "out",
  },
};

beforeAll(() => {
  folder = mkdtempSync(join(home, ".docs-"));
  for (const block of code) {
    const file = join(folder, fileOf(block));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, block.text);
  }
  const files = code.map(fileOf);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ ...CONFIGURATION, files }));
  compiler = spawnSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder], { encoding: "utf8" });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("code in the documents", () => {
  it("is there, and some of it is whole programs", () => {
    expect(code.length).toBeGreaterThan(10);
    expect(programs.length).toBeGreaterThan(1);
    expect(new Set(code.map(fileOf)).size).toBe(code.length);
  });

  it("compiles", () => {
    expect(compiler).toMatchObject({ stdout: "", status: 0 });
  });

  it.each(programs.map((block) => [placeOf(block), block] as const))("%s runs", (_, block) => {
    const program = join(folder, "out", relative(ROOT, folder), fileOf(block).replace(/\.ts$/, ".js"));
    const { status, stdout, stderr } = spawnSync(process.execPath, [program], {
      cwd: ROOT,
      encoding: "utf8",
      input: "",
      timeout: PATIENCE_MS,
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toBe(outputAfter(block) ?? stdout);
  });
});

/** A program may be followed by what it prints. */
function outputAfter(block: CodeBlock): string | undefined {
  const next = blocks[blocks.indexOf(block) + 1];
  return next?.document === block.document && next.marks.includes("output") ? next.text : undefined;
}

/** In a folder outside the clone: the packed core, and each document's scripts side by side. */
describe("scripts in the documents", () => {
  let outside = "";
  afterAll(() => rmSync(outside, { recursive: true, force: true }));

  beforeAll(() => {
    outside = mkdtempSync(join(tmpdir(), "suite-docs-"));
    const core = join(outside, "node_modules/@suite/core");
    mkdirSync(core, { recursive: true });
    const pack = ["pack", "--silent", "--pack-destination", outside];
    const { stdout } = spawnSync("npm", pack, { cwd: join(ROOT, "packages/core"), encoding: "utf8" });
    spawnSync("tar", ["-xzf", join(outside, stdout.trim()), "-C", core, "--strip-components=1"]);
    for (const script of scripts) writeFileSync(join(outside, scriptFileOf(script)), script.text);
  });

  it("are there", () => {
    expect(scripts.length).toBeGreaterThan(2);
  });

  it.each(scripts.map((script) => [placeOf(script), script] as const))("%s runs", (_, script) => {
    const ran = spawnSync(process.execPath, [scriptFileOf(script)], {
      cwd: outside,
      encoding: "utf8",
      input: script.text.includes("serveStdio") ? LISTING : "",
      timeout: PATIENCE_MS,
    });
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
    // A server that says nothing of its own has listed its tools.
    const listed: unknown = expect.stringContaining('"tools":[{"name":');
    expect(ran.stdout).toEqual(outputAfter(script) ?? listed);
  });
});

const scriptFileOf = (script: CodeBlock): string =>
  script.marks.find((mark) => mark.startsWith("file="))?.slice("file=".length) ??
  `${placeOf(script).replaceAll(/[^a-z0-9]+/gi, "-")}.mjs`;

const client = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
/** What a client would say to a server first. */
const LISTING = [
  { jsonrpc: "2.0", id: 0, method: "initialize", params: client },
  { jsonrpc: "2.0", id: 1, method: "tools/list" },
]
  .map((message) => `${JSON.stringify(message)}\n`)
  .join("");

/** Every kind of block that something here, or in a test beside this one, runs or reads. */
const KINDS = new Set([
  "sh",
  "ts",
  "js program",
  "json",
  "json snippet",
  "text",
  "text output",
  "mermaid",
  "toml",
  "yaml",
]);

describe("blocks in the documents", () => {
  it("are all of a kind that is checked", () => {
    const kindOf = ({ language, marks }: CodeBlock): string =>
      [language, ...marks.filter((mark) => language !== "ts" && !mark.startsWith("file="))].join(" ");
    const others = blocks.filter((block) => !KINDS.has(kindOf(block)));
    expect(others.map((block) => `${placeOf(block)}: ${kindOf(block)}`)).toEqual([]);
  });
});
