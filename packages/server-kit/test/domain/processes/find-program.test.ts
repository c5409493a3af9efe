import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "@suite/core/testing";
import { expect, it, onTestFinished } from "vitest";

import {
  findProgram,
  isFullPath,
  toCandidates,
  withFullSearchPath,
} from "../../../src/domain/processes/find-program.ts";

it.each([
  ["linux", { PATH: ":/a::b:./c:/d/e:" }, { PATH: "/a:/d/e" }],
  ["linux", { PATH: ":", Path: "b" }, { Path: "b" }],
  ["linux", { A: "1" }, { A: "1" }],
  [
    "win32",
    { Path: String.raw`.;C:\a;b;\d;"D:/x y";C:e;\\host\share;%F%;` },
    { PATH: String.raw`C:\a;D:/x y;\\host\share` },
  ],
] as const)("only full paths are left in the search path: %s %j", (platform, env, left) => {
  expect(withFullSearchPath(env, platform)).toEqual(left);
});

needs(it, "file modes")("a program is found by full paths alone, and only what can be run", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "find-program-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [first, second] = [join(folder, "1"), join(folder, "2")];
  for (const at of [first, second]) mkdirSync(at);
  mkdirSync(join(first, "tool"));
  writeFileSync(join(first, "data"), "");
  writeFileSync(join(second, "tool"), "", { mode: 0o755 });
  const PATH = `${first}:${second}`;
  expect(findProgram("tool", { PATH })).toBe(join(second, "tool"));
  expect(findProgram("data", { PATH })).toBeUndefined();
  expect(findProgram("../2/tool", { PATH: first })).toBeUndefined();
  expect(findProgram(join(first, "none"), {})).toBe(join(first, "none"));
  expect(isFullPath(findProgram("sh", {}) ?? "")).toBe(true);
  rmSync(join(second, "tool"));
  expect(findProgram("tool", { PATH })).toBeUndefined();
});

it("on Windows, a program is one that needs no shell, in a folder that names its drive", () => {
  const Path = String.raw`relative;\rooted;C:\Program Files\Git\cmd`;
  const git = String.raw`C:\Program Files\Git\cmd\git.exe`;
  expect(toCandidates("git", { Path }, "win32")).toEqual([git]);
  expect(toCandidates(git, { Path: "." }, "win32")).toEqual([git]);
  for (const name of [String.raw`.\git`, String.raw`\git.exe`, "C:git", "bin/git"])
    expect(toCandidates(name, { Path: "." }, "win32")).toEqual([]);
});
