import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { needs } from "@suite/core/testing";
import { beforeEach, describe, expect, it } from "vitest";

import { PathGuard } from "../../../src/domain/paths/guard.ts";
import { catchFault, useScratch } from "./scratch.ts";

const scratch = useScratch();
let guard: PathGuard;
beforeEach(() => {
  guard = new PathGuard({ roots: [scratch.root] });
});

const inRoot = (path: string): string => join(scratch.root, path);

describe("links", () => {
  needs(it, "symbolic links")("says so when they lead in circles", () => {
    symlinkSync("two", inRoot("one"));
    symlinkSync("one", inRoot("two"));
    const fault = catchFault(() => guard.locate("one/x"));
    expect([fault.code, fault.message]).toEqual([
      "invalid_input",
      '"one/x" goes through a loop of symbolic links',
    ]);
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
