import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

import { ROOT } from "./documents.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** The names in the first column of the table with this heading: `run(input, ctx)` is about `run`. */
function namesInTable(document: string, heading: string): readonly string[] {
  const [, table = ""] = read(document).split(`\n| ${heading} `);
  const rows = table.split("\n\n", 1)[0]?.split("\n").slice(2) ?? [];
  const cells = rows.map((row) => row.split("|")[1] ?? "");
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)[^`]*`/g)].map(([, name = ""]) => name)).toSorted();
}

const namesIn = (source: string, declaration: RegExp, name: RegExp): readonly string[] => {
  const [declared = ""] = declaration.exec(read(source)) ?? [];
  return [...declared.matchAll(name)].map(([, found = ""]) => found).toSorted();
};

const KEYS = [/^const KEYS.*?^\};/ms, /^ {2}(\w+): "\w+"/gm] as const;
const TYPES = [/^type Inherited.*?^\};/ms, /^ {2}(?:\| "|readonly )(\w+)/gm] as const;

const operations = [/^export interface Store \{.*?^\}/ms, /^ {2}(?:readonly )?(\w+)[(:]/gm] as const;
const fields = [/^export interface RedisOptions \{.*?^\}/ms, /^ {2}readonly (\w+)/gm] as const;

it.each([
  ["packages/replicas/README.md", "operation of `Store`", "packages/replicas/src/store.ts", operations],
  ["packages/replicas/README.md", "option", "packages/replicas/src/redis-store.ts", fields],
] as const)("%s names every %s", (document, heading, source, [declaration, name]) => {
  const declared = namesIn(source, declaration, name);
  expect(declared.length).toBeGreaterThan(1);
  expect(namesInTable(document, heading)).toEqual(declared);
});

it.each([
  ["packages/core/README.md", "option of `createServer`", "packages/core/src/server.ts", KEYS],
  ["packages/server-kit/README.md", "fact", "packages/server-kit/src/serving/contract/tool.ts", KEYS],
  [
    "packages/server-kit/README.md",
    "option of `createServer`",
    "packages/server-kit/src/serving/contract/create-server.ts",
    TYPES,
  ],
] as const)("%s names every %s", (document, heading, source, [declaration, name]) => {
  const declared = namesIn(source, declaration, name);
  expect(declared).toContain("name");
  expect(namesInTable(document, heading)).toEqual(declared);
});
