import { sep } from "node:path";

import { expect, it } from "vitest";

import {
  isReservedName,
  isTemporaryName,
  protectReserved,
  toLockName,
  toTemporaryName,
} from "../../src/domain/reserved-names.ts";

it("makes names that are its own, differ, and fit beside any other", () => {
  const names = ["a", "ä".repeat(127), "x".repeat(255), ".", "with space"].flatMap((name) => [
    toTemporaryName(name),
    toTemporaryName(name),
    toLockName(name),
  ]);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) {
    expect(isReservedName(name)).toBe(true);
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
  }
  for (const name of ["ä".repeat(127), ...(sep === "/" ? ["unit\\x2da.conf"] : [])])
    expect(isTemporaryName(toTemporaryName(name))).toBe(true);
});

it("has one lock for what some file systems take for one name", () => {
  expect(toLockName("Ä.txt")).toBe(toLockName("ä.TXT".normalize("NFD")));
  expect(toLockName("a")).not.toBe(toLockName("b"));
});

it("knows no other names for its own", () => {
  for (const name of ["a", ".git", "suite-trash", "x.suite-tmp.txt"])
    expect(isReservedName(name)).toBe(false);
  for (const name of ["../x.0123456789ab.suite-tmp", ".a/b.0123456789ab.suite-tmp", ".a.suite-tmp"]) {
    expect(isTemporaryName(name)).toBe(false);
  }
});

const isProtected = (path: string): boolean => protectReserved(path.replaceAll("/", sep)) !== undefined;

it("protects its own, wherever it is", () => {
  expect(isProtected("/project/dir/.suite-trash/x")).toBe(true);
  expect(isProtected("/project/.a.0123456789ab.suite-tmp")).toBe(true);
  // To macOS and Windows these are the same; who made one first would decide what can be undone.
  for (const name of [".SUITE-TRASH", ".\u017Fuite-trash", ".a.0123456789ab.Suite-Tmp"])
    expect(isProtected(`/project/${name}/x`), name).toBe(true);
  expect(isProtected("/project/dir/file")).toBe(false);
});
