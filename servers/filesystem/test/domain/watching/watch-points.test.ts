import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { needs } from "@suite/server-kit/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findWatchPoints } from "../../../src/domain/watching/watch-points.ts";

let base: string;
let root: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "watch-points-")));
  root = join(base, "root");
  mkdirSync(join(root, "a/b"), { recursive: true });
  mkdirSync(join(base, "outside"));
  writeFileSync(join(root, "a/b/file"), "x");
  writeFileSync(join(base, "outside/secret"), "x");
});

afterEach(() => rmSync(base, { recursive: true }));

/** `directory:name`, relative to the folder around the root. */
const pointsOf = (path: string, roots = [root]): string[] =>
  findWatchPoints(roots, path).map(
    ({ directory, name }) => `${relative(base, directory).replaceAll(sep, "/")}:${name ?? "*"}`,
  );

describe("findWatchPoints", () => {
  it("names each directory on the way to a file, from the root on", () => {
    expect(pointsOf(join(root, "a/b/file"))).toEqual(["root:a", "root/a:b", "root/a/b:file"]);
  });

  it("ends with all the names of a directory", () => {
    expect(pointsOf(join(root, "a/b"))).toEqual(["root:a", "root/a:b", "root/a/b:*"]);
    expect(pointsOf(root)).toEqual(["root:*"]);
  });

  it("ends where something would have to appear", () => {
    expect(pointsOf(join(root, "a/x/y/z"))).toEqual(["root:a", "root/a:x"]);
    expect(pointsOf(join(root, "a/b/file/x"))).toEqual(["root:a", "root/a:b", "root/a/b:file"]);
  });

  it("asks for a root that is missing", () => {
    const missing = join(base, "later");
    expect(pointsOf(join(missing, "x"), [missing])).toEqual(["later:*"]);
  });

  needs(it, "symbolic links")("goes through links, and depends on both ends", () => {
    symlinkSync("b", join(root, "a/link"));
    expect(pointsOf(join(root, "a/link/file"))).toEqual([
      "root:a",
      "root/a:link",
      "root/a:b",
      "root/a/b:file",
    ]);
    symlinkSync(join(root, "a/link/file"), join(root, "absolute"));
    expect(pointsOf(join(root, "absolute"))).toEqual([
      "root:absolute",
      "root:a",
      "root/a:link",
      "root/a:b",
      "root/a/b:file",
    ]);
    symlinkSync("missing", join(root, "dangling"));
    expect(pointsOf(join(root, "dangling"))).toEqual(["root:dangling", "root:missing"]);
  });

  needs(it, "symbolic links")("stops at a link that leads out", () => {
    symlinkSync(join(base, "outside/secret"), join(root, "out"));
    symlinkSync("../../outside", join(root, "a/up"));
    symlinkSync("up/secret", join(root, "a/twice"));
    expect(pointsOf(join(root, "out"))).toEqual(["root:out"]);
    expect(pointsOf(join(root, "a/up/secret"))).toEqual(["root:a", "root/a:up"]);
    expect(pointsOf(join(root, "a/twice"))).toEqual(["root:a", "root/a:twice", "root/a:up"]);
  });

  needs(it, "symbolic links")("finds a root that is written through a link", () => {
    symlinkSync(root, join(base, "alias"));
    expect(pointsOf(join(base, "alias/a"))).toEqual(["root:a", "root/a:*"]);
  });

  needs(it, "symbolic links")("gives up on links in a circle", () => {
    symlinkSync("two", join(root, "one"));
    symlinkSync("one", join(root, "two"));
    const points = pointsOf(join(root, "one"));
    expect(new Set(points)).toEqual(new Set(["root:one", "root:two"]));
  });
});
