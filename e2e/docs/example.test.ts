import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "./documents.ts";

const SOURCES = join(ROOT, "servers/notes/src");

const countLines = (file: string): number =>
  readFileSync(join(SOURCES, file), "utf8").trimEnd().split("\n").length;

it("a complete server takes no more than 100 lines, imports included, and 20 more to run and introduce it", () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" });
  expect(files.toSorted()).toEqual(["introduction.ts", "main.ts", "server.ts", "tools.ts"]);
  expect(countLines("server.ts") + countLines("tools.ts")).toBeLessThanOrEqual(100);
  expect(countLines("introduction.ts") + countLines("main.ts")).toBeLessThanOrEqual(20);
});
