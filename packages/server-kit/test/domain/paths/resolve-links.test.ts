import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

describe("links", () => {
  /** Each is where a link called `way` leads. Nothing of it may show. */
  const targets: { readonly [name: string]: () => string } = {
    "a folder": () => join(scratch.write("outside/folder/deep"), ".."),
    "a file": () => scratch.write("outside/file"),
    nothing: () => join(scratch.outside, "none"),
    "nothing, far away": () => "/nowhere/at/all",
    "a relative nothing": () => "../outside/none",
    "a relative folder": () => "../outside",
    "something below a file": () => join(scratch.write("outside/file"), "below"),
    "a circle": () => {
      symlinkSync("circle", join(scratch.outside, "circle"));
      return join(scratch.outside, "circle");
    },
    "a circle through the root": () => {
      symlinkSync(inRoot("way"), join(scratch.outside, "back"));
      return join(scratch.outside, "back");
    },
    "a link to nothing outside": () => {
      symlinkSync(join(scratch.outside, "none"), inRoot("second"));
      return "second";
    },
    "the folder above": () => "..",
    "out and in again, to nothing": () => "../outside/../root/none",
    "out and in again, to something": () => {
      scratch.write("root/folder/deep");
      return "../outside/../root/folder";
    },
    "out and in again, through nothing": () => {
      scratch.write("root/folder/deep");
      return "../outside/none/../../root/folder";
    },
    "a link outside that leads in again": () => {
      scratch.write("root/folder/deep");
      symlinkSync(inRoot("folder"), join(scratch.outside, "back"));
      return "../outside/back";
    },
    "a process's own files": () => "/proc/self/environ",
  };

  needs(it, "symbolic links").each(Object.keys(targets))("refuses one to %s with the same words", (name) => {
    symlinkSync(targets[name]?.() ?? "", inRoot("way"));
    for (const given of ["way", "way/deep", "way/a/b/c", inRoot("way/deep")]) {
      for (const intent of ["read", "write"] as const) {
        const fault = catchFault(() => guard.locate(given, { intent }));
        expect([fault.code, fault.message, fault.cause]).toEqual([
          "permission_denied",
          refusal(given),
          undefined,
        ]);
      }
    }
    expect(catchFault(() => guard.locate("way/deep", { follow: false })).message).toBe(refusal("way/deep"));
  });

  needs(it, "symbolic links")("gives the link itself to whoever moves, removes or describes it", () => {
    symlinkSync(scratch.write("outside/file"), inRoot("way"));
    expect(guard.locate("way", { follow: false })).toBe(inRoot("way"));
  });

  needs(it, "symbolic links")("follows one that stays inside", () => {
    const file = scratch.write("root/a/file");
    symlinkSync("a", inRoot("relative"));
    symlinkSync(inRoot("a"), inRoot("absolute"));
    symlinkSync("absolute/file", inRoot("twice"));
    for (const given of ["relative/file", "absolute/file", "twice"]) expect(guard.locate(given)).toBe(file);
    expect(guard.locate("relative/none/x")).toBe(inRoot("a/none/x"));
    expect(guard.locate("absolute/none", { follow: false })).toBe(inRoot("a/none"));
  });

  needs(it, "symbolic links")("writes through a dangling one that stays inside, to where it leads", () => {
    mkdirSync(inRoot("a"));
    symlinkSync("a/new", inRoot("way"));
    const { directory, name } = guard.holdParent(guard.locate("way", { intent: "write" }));
    writeFileSync(directory.at(name), "text");
    directory.close();
    expect(readFileSync(inRoot("a/new"), "utf8")).toBe("text");
  });

  needs(it, "symbolic links")("says so when they lead in circles", () => {
    symlinkSync("two", inRoot("one"));
    symlinkSync("one", inRoot("two"));
    const fault = catchFault(() => guard.locate("one/x"));
    expect([fault.code, fault.message]).toEqual([
      "invalid_input",
      '"one/x" goes through a loop of symbolic links',
    ]);
  });

  needs(it, "symbolic links")("asks whether a link's target, not its name, may be written", () => {
    mkdirSync(inRoot(".git"));
    symlinkSync(".git", inRoot("harmless"));
    expect(guard.locate("harmless/config")).toBe(inRoot(".git/config"));
    const fault = catchFault(() => guard.locate("harmless/config", { intent: "write" }));
    expect(fault.code).toBe("permission_denied");
    expect(fault.message).toContain("--allow-git-writes");
  });

  needs(it, "symbolic links")("follows none if told so, not even inside", () => {
    const strict = new PathGuard({ roots: [scratch.root], links: "refuse" });
    const file = scratch.write("root/a/file");
    symlinkSync("a", inRoot("way"));
    expect(strict.locate("a/file")).toBe(file);
    expect(strict.locate("a/none")).toBe(inRoot("a/none"));
    expect(strict.locate("way", { follow: false })).toBe(inRoot("way"));
    for (const given of ["way", "way/file", "way/none"]) {
      const fault = catchFault(() => strict.locate(given));
      expect(fault.message).toBe(`"${given}" goes through a symbolic link, and links are not followed here`);
    }
  });

  it("says so when a file is taken for a directory", () => {
    scratch.write("root/file");
    const fault = catchFault(() => guard.locate("file/x"));
    expect([fault.code, fault.message]).toEqual([
      "invalid_input",
      '"file/x" goes through a file as if it were a directory',
    ]);
  });
});
