import fs, { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { needs } from "@suite/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";

import { isWithin, outermostRoot, Roots } from "../../../src/domain/paths/roots.ts";
import { catchFault, useScratch } from "./scratch.ts";

describe("isWithin", () => {
  needs(it, "paths from /").each([
    ["/top", "/top", true],
    ["/top/a", "/top", true],
    ["/top-evil", "/top", false],
    ["/top-evil/a", "/top", false],
    ["/roo", "/top", false],
    ["/", "/top", false],
    ["/a", "/", true],
    ["/", "/", true],
    ["/ROOT/a", "/top", false],
  ])("%s in %s: %s", (path, directory, answer) => {
    expect(isWithin(path, directory)).toBe(answer);
  });
});

needs(it, "paths from /")("the outermost root around a path is the one that is in no other", () => {
  const roots = ["/top/in", "/top", "/other"];
  expect(outermostRoot(roots, "/top/in/a")).toBe("/top");
  expect(outermostRoot(roots, "/other/a")).toBe("/other");
  expect(outermostRoot(roots, "/top-evil")).toBeUndefined();
});

describe("Roots", () => {
  const scratch = useScratch();

  needs(it, "symbolic links")("are real, in order, and each but once", () => {
    symlinkSync(scratch.root, join(scratch.base, "alias"));
    const given = [join(scratch.base, "alias"), scratch.outside, `${scratch.root}/`];
    expect(new Roots(given).real).toEqual([scratch.root, scratch.outside]);
  });

  needs(it, "symbolic links")("are entered by the nearest name", () => {
    symlinkSync(scratch.outside, join(scratch.root, "way"));
    const roots = new Roots([scratch.root, join(scratch.root, "way")]);
    expect(roots.enter(join(scratch.root, "way/a"))).toEqual({ root: scratch.outside, rest: "/a" });
    expect(roots.enter(join(scratch.root, "ways/a"))).toEqual({ root: scratch.root, rest: "/ways/a" });
    expect(roots.enter(scratch.base)).toBeUndefined();
  });

  needs(it, "symbolic links")("may be a link to what is not there yet", () => {
    symlinkSync("root/later", join(scratch.base, "alias"));
    const roots = new Roots([join(scratch.base, "alias/deep")]);
    expect(roots.real).toEqual([join(scratch.root, "later/deep")]);
    expect(roots.isInPlace(join(scratch.root, "later/deep"))).toBe(true);
    symlinkSync(scratch.outside, join(scratch.root, "later"));
    expect(roots.isInPlace(join(scratch.root, "later/deep"))).toBe(false);
  });

  it("may be created while they are being found", () => {
    const { native } = fs.realpathSync;
    const path = join(scratch.root, "just/now");
    fs.realpathSync.native = ((given: string) => {
      try {
        return native(given);
      } finally {
        mkdirSync(path, { recursive: true });
      }
    }) as typeof native;
    try {
      expect(new Roots([path]).real).toEqual([path]);
    } finally {
      fs.realpathSync.native = native;
    }
  });

  it.each([0, 1, 299, 300])("are found in a few looks where %i of 300 names exist", (count) => {
    const toPath = (names: number): string => join(scratch.root, ...Array.from({ length: names }, () => "a"));
    mkdirSync(toPath(count), { recursive: true });
    const { existsSync } = fs;
    let looks = 0;
    fs.existsSync = (path) => {
      looks += 1;
      return existsSync(path);
    };
    syncBuiltinESMExports();
    onTestFinished(() => {
      fs.existsSync = existsSync;
      syncBuiltinESMExports();
    });
    expect(new Roots([toPath(300)]).real).toEqual([toPath(300)]);
    expect(looks).toBeLessThan(20);
  });

  needs(it, "/proc")("serve the system's own files only where a root is among them", () => {
    expect(new Roots(["/"]).judge("/proc/self/environ")).toBe("kernel");
    expect(new Roots(["/"]).judge("/process/x")).toBe("inside");
    expect(new Roots(["/", "/dev/shm"]).judge("/dev/shm/x")).toBe("inside");
    expect(new Roots([scratch.root]).judge("/proc/self/environ")).toBe("outside");
  });

  needs(it, "symbolic links")("cannot lead in circles, or lie in a file", () => {
    symlinkSync("circle", join(scratch.root, "circle"));
    scratch.write("root/file");
    for (const root of ["circle", "circle/x", "file/x"]) {
      expect(catchFault(() => new Roots([join(scratch.root, root)])).code).toBe("invalid_input");
    }
  });

  needs(it, "names that are no text")("cannot have a name that is no text", () => {
    const bytes = Buffer.concat([Buffer.from(`${scratch.base}/`), Buffer.from([0xff])]);
    mkdirSync(bytes);
    writeFileSync(Buffer.concat([bytes, Buffer.from("/secret")]), "");
    symlinkSync(bytes, join(scratch.base, "alias"));
    expect(catchFault(() => new Roots([join(scratch.base, "alias")])).code).toBe("unsupported");
  });
});
