import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

import { citationsIn, uncited } from "../requirements/citations.ts";
import { httpRequirements } from "../requirements/index.ts";

const FOLDERS = [new URL(".", import.meta.url), new URL("../auth/", import.meta.url)];

it("verifies every requirement of HTTP in every revision that it names", () => {
  const citations = FOLDERS.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".test.ts") && name !== "coverage.test.ts")
      .flatMap((name) => citationsIn(name, readFileSync(new URL(name, folder), "utf8"))),
  );
  expect(citations.length).toBeGreaterThan(30);
  expect(uncited(httpRequirements, citations)).toEqual([]);
});
