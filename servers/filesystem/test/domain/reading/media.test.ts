import { describe, expect, it } from "vitest";
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
