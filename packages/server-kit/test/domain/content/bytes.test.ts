import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";
import { readBytes, readBytesLater } from "../../../src/domain/content/bytes.ts";

const folder = mkdtempSync(join(tmpdir(), "bytes-"));
writeFileSync(join(folder, "ten"), "0123456789");
const fd = openSync(join(folder, "ten"), "r");
afterAll(() => {
  closeSync(fd);
  rmSync(folder, { recursive: true });
});
const never = new AbortController().signal;

describe("readBytes", () => {
  it.each([
    [0, 10, "0123456789"],
    [3, 4, "3456"],
    [8, 4, "89"],
    [10, 4, ""],
    [99, 4, ""],
    [0, 0, ""],
  ])("gives what there is from %i on, up to %i bytes, at once or later", async (position, length, text) => {
    expect(readBytes(fd, position, length).toString()).toBe(text);
    expect((await readBytesLater(fd, position, length, never)).toString()).toBe(text);
  });

  it("does not begin when it is told to stop", async () => {
    await expect(readBytesLater(fd, 0, 1, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  });
});
