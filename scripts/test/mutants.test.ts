import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { listPlaces, toSwitched } from "../mutants.mjs";

const SOURCE = `#!/usr/bin/env node
export function price(count: number): string {
  let total = 0;
  if (count < 1) return "none";
  total += count;
  return total > 2 && !(count === 9) ? "many" : "few";
}
export const KEYS: { readonly 1: true } = { 1: true };
`;

const KINDS = [
  "0 to 1",
  "no Return",
  "< to <=",
  "1 to 2",
  "no Expression",
  "other branch",
  "&& to ||",
  "> to >=",
  "2 to 3",
  "no !",
  "=== to !==",
  "9 to 10",
  "true to false",
];

interface Priced {
  readonly price: (count: number) => string;
  readonly KEYS: { readonly 1: boolean };
}

/** What the source gives for some counts with one place changed, or none. */
async function runWith(index: number | "none"): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "suite-mutants-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const places = listPlaces("price.ts", SOURCE).map((place, at) => ({ ...place, index: at }));
  writeFileSync(join(folder, "active"), String(index));
  const one = places.filter((place) => place.index === index);
  writeFileSync(join(folder, "price.ts"), toSwitched(SOURCE, one, folder));
  const { __mutants: before } = globalThis as { __mutants?: unknown };
  Object.assign(globalThis, { __mutants: undefined });
  const { price, KEYS } = (await import(join(folder, "price.ts"))) as Priced;
  const said = [0, 1, 2, 3, 9].map((count) => price(count));
  Object.assign(globalThis, { __mutants: before });
  return [...said, KEYS[1]].join(" ");
}

it("finds the places of a source that can be changed, but no keys or types", () => {
  expect(
    listPlaces("price.ts", SOURCE)
      .map(({ kind }) => kind)
      .toSorted(),
  ).toEqual(KINDS.toSorted());
});

it("switches one place at a time", async () => {
  const plain = await runWith("none");
  expect(plain).toBe("none few few many few true");
  for (const [index, { kind }] of listPlaces("price.ts", SOURCE).entries())
    expect.soft(await runWith(index), kind).not.toBe(plain);
});

it("leaves an else with its own if", () => {
  const source = "if (a) b();\nelse c();\n";
  const [place] = listPlaces("a.ts", source);
  expect(
    toSwitched(source, [{ ...place, index: 0 } as Parameters<typeof toSwitched>[1][number]], "/x"),
  ).toContain("if (a) { if (!__on(0)) { b(); } }\nelse c();");
});

it("keeps the types that exports take from literals", () => {
  const source = "export class Line {\n  length = 0;\n  isOpen = true;\n}\n";
  const places = listPlaces("line.ts", source).map((place, index) => ({ ...place, index }));
  expect(toSwitched(source, places, "/x")).toContain(
    "length = ((__on(0) ? (1) : (0)) as number);\n  isOpen = ((__on(1) ? (false) : (true)) as boolean);",
  );
});
