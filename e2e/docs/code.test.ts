import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { PATIENCE_MS } from "@suite/check/wires";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPlace } from "../support/place.ts";
import { blocksOf, type CodeBlock, inClone, placeOf, readDocuments, ROOT } from "./documents.ts";
import { describeOnUnix } from "../support/programs.ts";

const blocks = readDocuments().flatMap(blocksOf);
const code = blocks.filter(({ language }) => language === "ts");
/** For a folder outside the clone, without a build. */
const scripts = blocks.filter(({ language, marks }) => language === "js" && marks.includes("program"));
/** Configuration for a host that starts one of them. */
const snippets = blocks.filter(({ language, marks }) => language === "json" && marks.includes("snippet"));
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

/** In a folder outside the clone: the core, installed as the quick start says, and each document's scripts side by side. */
describeOnUnix("scripts in the documents", () => {
  let outside = "";
  let installed: { readonly status: number | null; readonly stderr: string } | undefined;

  beforeAll(() => {
    outside = createPlace();
    const [install = "no command"] = blocks.flatMap(
      ({ text }) => /^npm install \/path\/to\/the\/clone\/.*$/m.exec(text) ?? [],
    );
    const env = { PATH: process.env["PATH"], HOME: outside };
    installed = spawnSync("bash", ["-c", inClone(install)], { cwd: outside, env, encoding: "utf8" });
    for (const script of scripts) writeFileSync(join(outside, scriptFileOf(script)), script.text);
  });

  it("are there, and so is what they need", () => {
    expect(installed, installed?.stderr).toMatchObject({ status: 0 });
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
    expect(ran.stdout).toEqual(outputAfter(script) ?? LISTED);
  });

  it.each(snippets.map((snippet) => [placeOf(snippet), snippet] as const))("%s starts one", (_, { text }) => {
    const { mcpServers } = JSON.parse(text.replaceAll("/path/to", outside)) as HostSettings;
    const launches = Object.values(mcpServers);
    expect(launches).not.toEqual([]);
    for (const { command, args } of launches) {
      const { stdout } = spawnSync(command, args, { encoding: "utf8", input: LISTING, timeout: PATIENCE_MS });
      expect(stdout).toEqual(LISTED);
    }
  });
});

const scriptFileOf = (script: CodeBlock): string =>
  script.marks.find((mark) => mark.startsWith("file="))?.slice("file=".length) ??
  `${placeOf(script).replaceAll(/[^a-z0-9]+/gi, "-")}.mjs`;

const client = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
interface HostSettings {
  readonly mcpServers: Readonly<
    Record<string, { readonly command: string; readonly args: readonly string[] }>
  >;
}

const LISTED: unknown = expect.stringContaining('"tools":[{"name":');
/** What a client would say to a server first. */
const LISTING = [
  { jsonrpc: "2.0", id: 0, method: "initialize", params: client },
  { jsonrpc: "2.0", id: 1, method: "tools/list" },
]
  .map((message) => `${JSON.stringify(message)}\n`)
  .join("");

/** Every kind of block, and who runs or reads it. */
const KINDS = new Map([
  ["ts", "compiled above, and run if it is a program"],
  ["js program", "run above"],
  ["text output", "compared above with what the program before it prints"],
  ["json snippet", "started above"],
  ["json", "started by hosts.test.ts"],
  ["toml", "started by hosts.test.ts"],
  ["yaml", "started by hosts.test.ts"],
  ["sh", "run by commands.test.ts, or listed in command-forms.ts with the reason why not"],
  ["text", "compared by generated.test.ts and hosts.test.ts with what the servers print"],
  ["mermaid", "not parsed: its parser needs a browser, and is in nobody's dependencies here"],
]);

describe("blocks in the documents", () => {
  it("are all of a kind that is checked", () => {
    const kindOf = ({ language, marks }: CodeBlock): string =>
      [language, ...marks.filter((mark) => language !== "ts" && !mark.startsWith("file="))].join(" ");
    const others = blocks.filter((block) => !KINDS.has(kindOf(block)));
    expect(others.map((block) => `${placeOf(block)}: ${kindOf(block)}`)).toEqual([]);
  });
});
