import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { needs } from "@suite/core/testing";
import { beforeEach, describe, expect, it } from "vitest";

import { PathGuard } from "../../../src/domain/paths/guard.ts";
import { protectGit } from "../../../src/domain/paths/protect-git.ts";
import { catchFault, useScratch } from "./scratch.ts";

const scratch = useScratch();
let guard: PathGuard;
beforeEach(() => {
  guard = new PathGuard({ roots: [scratch.root], protect: protectGit });
});

const inRoot = (path: string): string => join(scratch.root, path);
const refusal = (given: string): string => `"${given}" is outside the allowed directories`;

describe("what a path may look like", () => {
  it.each(["a/b.txt", "./a//b.txt", "a/../a/b.txt", "a/b.txt/", "missing/../a/b.txt"])(
    "takes %s",
    (given) => {
      const file = scratch.write("root/a/b.txt");
      expect(guard.locate(given)).toBe(file);
      expect(guard.locate(join(scratch.root, given))).toBe(file);
    },
  );

  it("takes the root itself, by any of its names", () => {
    for (const given of [".", "a/..", scratch.root, `${scratch.root}/`]) {
      expect(guard.locate(given)).toBe(scratch.root);
      expect(guard.locate(given, { follow: false })).toBe(scratch.root);
    }
  });

  it("takes what is not there, as deep as it goes", () => {
    expect(guard.locate("x/y/z")).toBe(inRoot("x/y/z"));
    expect(guard.locate("x/y/z", { follow: false })).toBe(inRoot("x/y/z"));
  });

  needs(it, "any character in names")("takes a file URI, and undoes its encoding once", () => {
    const file = scratch.write("root/50% of [it] #1?.txt");
    expect(guard.locate(pathToFileURL(file).href)).toBe(file);
    const encoded = scratch.write("root/%2e%2e/x");
    expect(guard.locate(pathToFileURL(encoded).href)).toBe(encoded);
    expect(catchFault(() => guard.locate(`file://${scratch.root}/%2e%2e/outside`)).code).toBe(
      "permission_denied",
    );
  });

  it.each([
    ["", "it is empty"],
    ["a\0b", "it contains a NUL character"],
    ["a\uD800", "it contains half of a surrogate pair"],
    ["x/".repeat(20_000), "it is too long"],
  ])("refuses what no file can be called (%#)", (given, reason) => {
    const fault = catchFault(() => guard.locate(given));
    expect(fault.code).toBe("invalid_input");
    expect(fault.message).toContain(reason);
    expect(fault.message).not.toContain("\0");
    expect(fault.message.length).toBeLessThan(300);
  });

  needs(it, "exact errors")("says that a name is too long, not that something broke", () => {
    const fault = catchFault(() => guard.locate("x".repeat(300)));
    expect([fault.code, fault.message.length < 300]).toEqual(["invalid_input", true]);
  });

  needs(it, "paths from /")("does not pass hidden characters on in an error", () => {
    const fault = catchFault(() => guard.locate("/\u202Egpj.\u200Bexe\n"));
    expect(fault.message).toBe(refusal(String.raw`/\u{202E}gpj.\u{200B}exe\u{A}`));
  });
});

describe("what is outside", () => {
  it("names at most five roots", () => {
    const roots = Array.from({ length: 7 }, (_, index) => join(scratch.root, String(index)));
    const { hint = "" } = catchFault(() => new PathGuard({ roots }).locate(scratch.outside));
    expect(hint.match(/"/g)).toHaveLength(10);
    expect(hint).toContain(" and 2 more.");
  });

  it("refuses everything where nothing is allowed", () => {
    const closed = new PathGuard({ roots: [] });
    for (const given of ["x", scratch.outside, scratch.root]) {
      expect(catchFault(() => closed.locate(given)).hint).toBe(
        "No directory is allowed: the operator must name one.",
      );
    }
  });
});

describe("roots", () => {
  needs(it, "symbolic links")("may be given through a link, and then have two names", () => {
    const file = scratch.write("root/a/file");
    symlinkSync(scratch.root, join(scratch.base, "alias"));
    const aliased = new PathGuard({ roots: [join(scratch.base, "alias")], links: "refuse" });
    expect(aliased.roots).toEqual([scratch.root]);
    for (const given of ["a/file", join(scratch.base, "alias/a/file"), file]) {
      expect(aliased.locate(given)).toBe(file);
    }
    expect(aliased.locate(join(scratch.base, "alias/a/none"))).toBe(inRoot("a/none"));
    expect(catchFault(() => aliased.locate(join(scratch.base, "alias/../outside"))).code).toBe(
      "permission_denied",
    );
  });

  needs(it, "symbolic links")("may be missing at first, and count where they would be made", () => {
    symlinkSync(scratch.root, join(scratch.base, "alias"));
    const early = new PathGuard({ roots: [join(scratch.base, "alias/later")] });
    expect(early.roots).toEqual([inRoot("later")]);
    expect(early.locate("x")).toBe(inRoot("later/x"));
    const file = scratch.write("root/later/x");
    expect(early.locate(file)).toBe(file);
  });

  needs(it, "symbolic links").each(["secret", "none", "none/x"])(
    "are not moved by a link that takes their place (%s)",
    (name) => {
      scratch.write("outside/secret");
      const early = new PathGuard({ roots: [inRoot("later")] });
      symlinkSync(scratch.outside, inRoot("later"));
      expect(catchFault(() => early.locate(name)).message).toBe(refusal(name));
      renameSync(scratch.root, join(scratch.base, "moved"));
      symlinkSync(scratch.outside, scratch.root);
      expect(catchFault(() => guard.locate(name)).message).toBe(refusal(name));
    },
  );

  needs(it, "/proc")("may be everything, but not the system's own", () => {
    const file = scratch.write("outside/file");
    const all = new PathGuard({ roots: ["/"] });
    expect(all.locate(file)).toBe(file);
    expect(all.locate("/")).toBe("/");
    expect(all.locate("none-at-the-top", { follow: false })).toBe("/none-at-the-top");
    symlinkSync("/proc/self", inRoot("way"));
    for (const given of ["/proc/self/environ", "/dev/zero", "/sys", inRoot("way/environ")]) {
      const fault = catchFault(() => all.locate(given));
      expect([fault.code, fault.message]).toEqual([
        "permission_denied",
        `"${given}" belongs to the system's own /proc, /sys or /dev`,
      ]);
    }
  });

  it.each(["relative", "", "~/x", "/a\0b"])("must be absolute (%j)", (root) => {
    expect(catchFault(() => new PathGuard({ roots: [root] })).code).toBe("invalid_input");
  });

  it("find a relative path in the only one that has it", () => {
    const other = join(scratch.base, "other");
    mkdirSync(other);
    const both = new PathGuard({ roots: [scratch.root, other] });
    const here = scratch.write("root/here");
    const there = scratch.write("other/there");
    scratch.write("root/both");
    scratch.write("other/both");
    expect(both.locate("here")).toBe(here);
    expect(both.locate("there")).toBe(there);
    expect(both.locate("both")).toBe(inRoot("both"));
    expect(both.locate("new")).toBe(inRoot("new"));
  });

  needs(it, "symbolic links")("do not tell by their choice what is outside", () => {
    const other = join(scratch.base, "other");
    mkdirSync(other);
    symlinkSync(scratch.outside, join(other, "way"));
    const both = new PathGuard({ roots: [scratch.root, other] });
    scratch.write("outside/secret");
    expect(catchFault(() => both.locate("way/secret")).message).toBe(refusal("way/secret"));
    rmSync(join(scratch.outside, "secret"));
    expect(catchFault(() => both.locate("way/secret")).message).toBe(refusal("way/secret"));
  });
});

describe("holdParent", () => {
  it("gives the directory and the name in it", () => {
    mkdirSync(inRoot("a"));
    const { directory, name } = guard.holdParent(guard.locate("a/new", { intent: "write" }));
    writeFileSync(directory.at(name), "text");
    directory.close();
    expect(readFileSync(inRoot("a/new"), "utf8")).toBe("text");
  });

  it("does not give away a root", () => {
    const nested = new PathGuard({ roots: [scratch.root, scratch.base] });
    for (const path of nested.roots) {
      expect(catchFault(() => nested.holdParent(nested.locate(path))).code).toBe("permission_denied");
    }
  });

  it("renames where only the case differs", () => {
    scratch.write("root/Name", "text");
    const { directory, name } = guard.holdParent(guard.locate("Name", { follow: false }));
    renameSync(directory.at(name), directory.at("name"));
    directory.close();
    expect(readFileSync(inRoot("name"), "utf8")).toBe("text");
  });

  it("says which directory is missing", () => {
    const fault = catchFault(() => guard.holdParent(guard.locate("none/new")));
    expect([fault.code, fault.message]).toEqual(["not_found", `"${inRoot("none")}" does not exist`]);
  });
});
