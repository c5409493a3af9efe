import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { toTable } from "@suite/check";
import { inRoot } from "../../support/root.ts";

/** How much there is to read: lines of each package, and of the tests of its units. */
export function run(): Promise<string> {
  const packages = filesOf("packages/*/package.json", "servers/*/package.json").map(dirname);
  const rows = packages.map((folder) =>
    toRow(folder, linesIn(filesOf(`${folder}/src/*.ts`)), linesIn(filesOf(`${folder}/test/*.ts`))),
  );
  const [server, client] = [["index", "node", "http", "replicas"], ["client"]].map(reachedInCore);
  const onlyClient = [...(client ?? [])].filter((file) => !server?.has(file));
  const parts = [
    toRow("packages/core: what servers reach", linesIn([...(server ?? [])])),
    toRow("packages/core: only for clients", linesIn(onlyClient)),
    toRow("servers/fetch: parsing", linesIn(filesOf("servers/fetch/src/domain/parsing/*.ts"))),
    toRow("scripts", linesIn(filesOf("scripts/*.mjs", "scripts/*.ts", ":!scripts/**/test/*"))),
    toRow("e2e/bench", linesIn(filesOf("e2e/bench/*.ts"))),
    toRow("the rest of e2e", linesIn(filesOf("e2e/*.ts", ":!e2e/bench"))),
  ];
  const header = ["lines of", "source", "tests of units", "tests / source"];
  return Promise.resolve(toTable(header, [...rows, ...parts]));
}

const toRow = (what: string, source: number, tests?: number): readonly string[] => [
  what,
  source.toLocaleString("en"),
  ...(tests ? [tests.toLocaleString("en"), (tests / source).toFixed(2)] : ["", ""]),
];

const filesOf = (...patterns: readonly string[]): readonly string[] =>
  execFileSync("git", ["ls-files", "-z", ...patterns], { cwd: inRoot("."), encoding: "utf8" })
    .split("\0")
    .filter((file) => file !== "");

const textOf = (file: string): string => readFileSync(inRoot(file), "utf8");

const linesIn = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + textOf(file).split("\n").length - 1, 0);

/** What these parts of the core import, and what that imports. */
function reachedInCore(entries: readonly string[]): ReadonlySet<string> {
  const reached = new Set(entries.map((entry) => `packages/core/src/${entry}.ts`));
  for (const file of reached) {
    for (const [, from, late] of textOf(file).matchAll(/from "(\.[^"]+)"|import\("(\.[^"]+)"\)/g))
      reached.add(join(dirname(file), from ?? late ?? ""));
  }
  return reached;
}
