import { existsSync, readdirSync } from "node:fs";

import { expect, it } from "vitest";

import { inRoot } from "./root.ts";

it("No program of the tests is left of a source that is gone", () => {
  const compiled = readdirSync(inRoot("e2e/dist"), { recursive: true, encoding: "utf8" });
  const stale = compiled.filter(
    (file) => file.endsWith(".js") && !existsSync(inRoot(`e2e/${file.replace(/\.js$/, ".ts")}`)),
  );
  expect(stale).toEqual([]);
});
