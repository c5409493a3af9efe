import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "./documents.ts";

const SOURCES = join(ROOT, "servers/notes/src");

it("a complete server takes no more than 100 lines, imports included", () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" });
  expect(files.toSorted()).toEqual(["main.ts", "notes.ts"]);
  const lines = files.map((file) => readFileSync(join(SOURCES, file), "utf8").trimEnd().split("\n").length);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(100);
});
