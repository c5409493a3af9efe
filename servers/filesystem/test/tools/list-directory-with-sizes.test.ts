import { chmodSync } from "node:fs";
import { dirname, join } from "node:path";

import { asNobody, needs } from "@suite/server-kit/testing";
import { describe, expect, it } from "vitest";

import { listDirectoryWithSizes } from "../../src/tools/list-directory-with-sizes.ts";
import { createProject } from "./project.ts";

const { root, write, shown } = await createProject(listDirectoryWithSizes);

describe("list_directory_with_sizes", () => {
  needs(it, "file modes")("says where there is more than it could count", async () => {
    write("cut/partly/file", "x");
    write("cut/partly/closed/file", "x");
    chmodSync(dirname(root), 0o755);
    const closed = join(root, "cut/partly/closed");
    chmodSync(closed, 0);
    const text = await asNobody(() => shown({ path: "cut", recursive: true }));
    chmodSync(closed, 0o755);
    expect(text).toMatch(
      /: at least 1 file, 2 directories, 1 byte\n[^]*\[DIR\] partly at least 1\n[^]*\nThe total does not count all files below: /,
    );
  });
});
