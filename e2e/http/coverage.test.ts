import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

import { citationsIn, uncited } from "../requirements/citations.ts";
import { REQUIREMENTS } from "./verify.ts";

const here = new URL(".", import.meta.url);

it("verifies every requirement of HTTP in every revision that it names", () => {
  const citations = readdirSync(here)
    .filter((name) => name.endsWith(".test.ts") && name !== "coverage.test.ts")
    .flatMap((name) => citationsIn(name, readFileSync(new URL(name, here), "utf8")));
  expect(citations.length).toBeGreaterThan(30);
  expect(uncited(REQUIREMENTS, citations)).toEqual([]);
});
