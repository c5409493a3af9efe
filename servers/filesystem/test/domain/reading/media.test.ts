import { truncateSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { MEDIA_BYTES } from "../../../src/domain/reading/limits.ts";
import { readMedia } from "../../../src/domain/reading/media.ts";
import { createScratch } from "./scratch.ts";

const { root, guard, write } = createScratch();
const PNG = Buffer.from("\x89PNG\r\n\x1A\n\0\0\0\rIHDR", "latin1");

describe("readMedia", () => {
  it("gives pictures and sounds as such, and everything else as a resource", () => {
    const path = write("a.bin", PNG);
    const { bytes, facts } = readMedia(guard, { path });
    expect(bytes).toEqual(PNG);
    expect(facts).toEqual({
      path,
      mime_type: "image/png",
      size: 16,
      etag: expect.any(String),
      kind: "image",
    });
    expect(readMedia(guard, { path: write("b", "fLaC\0") }).facts.kind).toBe("audio");
    expect(readMedia(guard, { path: write("c", "text") }).facts).toMatchObject({
      mime_type: "text/plain",
      kind: "resource",
    });
    expect(readMedia(guard, { path: write("d.svg", "<svg/>") }).facts.kind).toBe("resource");
    expect(readMedia(guard, { path: write("e", "") }).facts).toMatchObject({ size: 0, kind: "resource" });
  });

  it("gives a part, says of what, and where the next one begins", () => {
    const path = write("a.png", PNG);
    const whole = readMedia(guard, { path });
    const part = readMedia(guard, { path, offset: 1, length: 3 });
    expect(part.bytes.toString()).toBe("PNG");
    expect(part.facts).toEqual({ ...whole.facts, kind: "resource", offset: 1, length: 3, next_offset: 4 });
    const rest = readMedia(guard, { path, offset: 12, length: 99 });
    expect(rest.bytes.toString()).toBe("IHDR");
    expect(rest.facts).not.toHaveProperty("next_offset");
    expect(readMedia(guard, { path, offset: 0, length: 99 })).toEqual(whole);
  });

  it("refuses what is too large, with the way to read it", () => {
    const path = write("large", "");
    truncateSync(path, MEDIA_BYTES);
    expect(readMedia(guard, { path }).bytes).toHaveLength(MEDIA_BYTES);
    truncateSync(path, MEDIA_BYTES + 1);
    expect(() => readMedia(guard, { path })).toThrow(
      expect.objectContaining({
        code: "too_large",
        hint: `Read it in parts with offset and length, such as offset: 0, length: ${MEDIA_BYTES}.`,
      }),
    );
    expect(readMedia(guard, { path, offset: MEDIA_BYTES }).bytes).toHaveLength(1);
    expect(() => readMedia(guard, { path, offset: 0, length: MEDIA_BYTES + 1 })).toThrow(
      expect.objectContaining({ code: "too_large" }),
    );
  });

  it("refuses an offset past the end", () => {
    const path = write("a.png", PNG);
    expect(() => readMedia(guard, { path, offset: 16 })).toThrow(
      expect.objectContaining({ code: "invalid_input" }),
    );
    expect(() => readMedia(guard, { path: root })).toThrow(
      expect.objectContaining({ code: "invalid_input" }),
    );
  });
});
