import { closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { needs } from "@suite/core/testing";
import { beforeEach, describe, expect, it } from "vitest";

import type { PathRules } from "../../../src/domain/paths/path-rules.ts";
import { hasDescriptorPaths, readDescriptorPath } from "../../../src/domain/paths/descriptor-path.ts";
import { Roots } from "../../../src/domain/paths/roots.ts";
import { verifyOpen } from "../../../src/domain/paths/verify-open.ts";
import { catchFault, useScratch } from "./scratch.ts";

const scratch = useScratch();
let rules: PathRules;
beforeEach(() => {
  rules = { roots: new Roots([scratch.root]), protect: () => undefined, hasDescriptorPaths: true };
});

needs(describe, "/proc")("on Linux", () => {
  it("the system shows what a descriptor is", () => {
    const fd = openSync(scratch.write("root/file"), "r");
    expect([hasDescriptorPaths(), readDescriptorPath(fd)]).toEqual([true, join(scratch.root, "file")]);
    closeSync(fd);
  });

  it("takes a file that its next version replaced meanwhile", () => {
    const path = scratch.write("root/file", "one");
    const fd = openSync(path, "r");
    renameSync(scratch.write("root/next", "two"), path);
    expect(readDescriptorPath(fd)).toBe(`${path} (deleted)`);
    expect(verifyOpen(fd, path, rules)).toBe(path);
    closeSync(fd);
  });

  it("says where a file was moved to", () => {
    const path = scratch.write("root/file");
    const fd = openSync(path, "r");
    renameSync(path, join(scratch.root, "moved"));
    expect(verifyOpen(fd, path, rules)).toBe(join(scratch.root, "moved"));
    closeSync(fd);
  });

  it.each([
    ["root/other", "conflict"],
    ["outside/file", "permission_denied"],
    ["root", "permission_denied"],
  ])("does not take a removed file that was %s", (place, code) => {
    if (place === "root") rmSync(scratch.root, { recursive: true });
    const other = scratch.write(place);
    const fd = openSync(other, "r");
    rmSync(other);
    // Beside the root, its name and the mark of a removed file make one that begins like the root's.
    expect(catchFault(() => verifyOpen(fd, join(scratch.root, "file"), rules)).code).toBe(code);
    expect(() => fstatSync(fd)).toThrow("EBADF");
  });
});

needs(it, "/proc")("does not take a directory beside the root for a root that was removed", () => {
  const sibling = `${scratch.root} (deleted)`;
  mkdirSync(sibling);
  const fd = openSync(sibling, "r");
  expect(catchFault(() => verifyOpen(fd, scratch.root, rules)).code).toBe("permission_denied");
});

needs(it, "/proc")("closes what it refuses, and does not say where that is", () => {
  for (const isShown of [true, false]) {
    const fd = openSync(scratch.write("outside/file"), "r");
    const path = scratch.write("root/file");
    const fault = catchFault(() => verifyOpen(fd, path, { ...rules, hasDescriptorPaths: isShown }));
    expect(`${fault.message} ${fault.hint}`).not.toContain(scratch.outside);
    expect(() => fstatSync(fd)).toThrow("EBADF");
  }
});
