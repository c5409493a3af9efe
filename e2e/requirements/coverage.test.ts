import { readdirSync, readFileSync } from "node:fs";
import { REVISIONS } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { citationsIn, uncited } from "./citations.ts";
import { type Requirement, requirements } from "./index.ts";

const here = new URL(".", import.meta.url);
const citations = readdirSync(here)
  .filter((name) => name.endsWith(".test.ts") && name !== "coverage.test.ts")
  .flatMap((name) => citationsIn(name, readFileSync(new URL(name, here), "utf8")));

const requirement = (id: string, revisions: Requirement["revisions"]): Requirement => ({
  id,
  level: "MUST",
  text: "",
  source: "",
  revisions,
});
const file = (...calls: string[]): string => ['import { verify } from "./verify.ts";', ...calls].join("\n");

describe("the requirements", () => {
  it("are each verified in every revision they name", () => {
    expect(uncited(requirements, citations)).toEqual([]);
  });
});

describe("the search for citations", () => {
  const everywhere = requirement("a/everywhere", REVISIONS);
  const modern = requirement("a/modern", ["2026-07-28"]);

  it("misses what is not cited", () => {
    const found = citationsIn("x.test.ts", file('verify("a/modern", "t", run);'));
    expect(uncited([modern], found)).toEqual([]);
    expect(uncited([modern, requirement("a/uncited", ["2026-07-28"])], found)).toEqual([
      "a/uncited in 2026-07-28",
    ]);
  });

  it("counts only the revisions that a call covers", () => {
    const shared = citationsIn("x.test.ts", file('verify(["a/everywhere", "a/modern"], "t", run);'));
    expect(uncited([everywhere, modern], shared)).toHaveLength(4);
  });

  it.each([
    ["ids from a variable", "verify(ids, 't', run);"],
    ["no ids", "verify([], 't', run);"],
    ["a call in a loop", "for (const x of xs) verify('a/modern', 't', run);"],
    ["a call in a branch", "if (x) verify('a/modern', 't', run);"],
    ["another name", "const check = verify;"],
  ])("refuses %s", (_, call) => {
    expect(() => citationsIn("x.test.ts", file(call))).toThrow("x.test.ts: ");
  });
});
