import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { inRoot } from "../support/root.ts";

it("a server without @suite/replicas beside it says how to add it", () => {
  const folder = createPlace();
  for (const part of ["dist", "package.json"])
    cpSync(inRoot(`servers/notes/${part}`), join(folder, part), { recursive: true });
  const args = [join(folder, "dist/main.js"), "--http", "0", "--store", "redis://127.0.0.1:1"];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 60_000 });
  expect({ status, stderr }).toEqual({
    status: 69,
    stderr: expect.stringMatching(
      /--store needs @suite\/replicas.*\n.*npm install @suite\/replicas.*npx -p @suite\/example-notes -p @suite\/replicas \S+ …\n$/,
    ) as string,
  });
});
