import { truncateSync, writeFileSync } from "node:fs";
import type { PathGuard, SafePath } from "@suite/server-kit/domain";
import { describe, expect, it } from "vitest";
import { fileEtag } from "../../../src/domain/reading/open.ts";
import { HASHED_BYTES } from "../../../src/domain/reading/limits.ts";
import { createScratch } from "./scratch.ts";

const { guard, write } = createScratch();

function etag(path: string, by: PathGuard = guard): string {
  const file = by.openFile(path as SafePath);
  try {
    return fileEtag(file);
  } finally {
    file.close();
  }
}

describe("fileEtag", () => {
  it("follows from the content, whatever the file is called and whenever it was written", () => {
    const path = write("a", "same");
    const first = etag(path);
    expect(etag(write("b", "same"))).toBe(first);
    writeFileSync(path, "sane");
    expect(etag(path)).not.toBe(first);
    writeFileSync(path, "same");
    expect(etag(path)).toBe(first);
  });

  it("is the same for who has read the file already", () => {
    const path = write("read", "content");
    const file = guard.openFile(path as SafePath);
    expect(fileEtag(file, Buffer.from("content"))).toBe(fileEtag(file));
    file.close();
  });

  it("follows from what the system says above a size", () => {
    const path = write("large", "");
    truncateSync(path, HASHED_BYTES);
    expect(etag(path)).not.toMatch(/^stat-/);
    truncateSync(path, HASHED_BYTES + 1);
    const first = etag(path);
    expect(first).toMatch(/^stat-[\w-]{16}$/);
    expect(etag(path)).toBe(first);
    truncateSync(path, HASHED_BYTES + 2);
    expect(etag(path)).not.toBe(first);
  });
});
