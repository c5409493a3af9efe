import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getFileInfo } from "../../src/tools/get-file-info.ts";
import { createScratch } from "../domain/reading/scratch.ts";
import { connectTool, textOf } from "./tool-client.ts";

const scratch = createScratch();
const { root, outside, write } = scratch;
const call = await connectTool(getFileInfo, scratch);

describe("get_file_info", () => {
  it("tells the facts of a file", async () => {
    const path = write("a.json", "{}");
    const result = await call({ path });
    expect(result.structuredContent).toMatchObject({
      path,
      size: 2,
      type: "file",
      mime_type: "application/json",
    });
    expect(textOf(result)).toMatch(
      /^"\S+a\.json": file\n2 bytes, permissions \d+, 1 name\nmodified \d{4}-.*\netag/s,
    );
  });

  it("says where links lead, and of those outside only that they do", async () => {
    const target = write("target", "x");
    symlinkSync("target", join(root, "in"));
    symlinkSync(join(outside, "x"), join(root, "out"));
    symlinkSync("gone", join(root, "nowhere"));
    expect(textOf(await call({ path: "in" }))).toContain(`: file, a symbolic link to "${target}"\n`);
    expect(textOf(await call({ path: "nowhere" }))).toContain(": symlink, a symbolic link to nothing\n");
    const out = await call({ path: "out" });
    expect(textOf(out)).toContain(
      "a symbolic link that leads outside the allowed directories, or may not be followed",
    );
    expect(JSON.stringify(out)).not.toContain(outside);
  });
});
