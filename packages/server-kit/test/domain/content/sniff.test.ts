import { describe, expect, it } from "vitest";
import { sniff, SNIFF_BYTES } from "../../../src/domain/content/sniff.ts";

const bytes = (text: string): Buffer => Buffer.from(text, "latin1");

describe("sniff", () => {
  it.each([
    ["\x89PNG\r\n\x1A\n\0\0\0\rIHDR", "image/png"],
    ["\xFF\xD8\xFF\xE0\0\x10JFIF", "image/jpeg"],
    ["GIF89a\x01\0\x01\0\x80", "image/gif"],
    ["RIFF\x24\0\0\0WEBPVP8 ", "image/webp"],
    ["BM\x46\0\0\0\0\0", "image/bmp"],
    ["II*\0\x08\0\0\0", "image/tiff"],
    ["MM\0*\0\0\0\x08", "image/tiff"],
    ["\0\0\x01\0\x01\0\x10\x10", "image/x-icon"],
    ["\0\0\0\x20ftypavif\0\0\0\0", "image/avif"],
    ["\0\0\0\x20ftypisom\0\0\x02\0", "video/mp4"],
    ["\0\0\0\x20ftypM4A \0\0\x02\0", "audio/mp4"],
    ["RIFF\x24\0\0\0WAVEfmt ", "audio/wav"],
    ["ID3\x04\0\0\0\0\0\0", "audio/mpeg"],
    ["\xFF\xFB\x90\x64\0", "audio/mpeg"],
    ["OggS\0\x02\0\0", "audio/ogg"],
    ["fLaC\0\0\0\x22", "audio/flac"],
    [
      "\x1A\x45\xDF\xA3\x9F\x42\x86\x81\x01\x42\xF7\x81\x01\x42\xF2\x81\x04\x42\xF3\x81\x08\x42\x82\x84webm",
      "video/webm",
    ],
    [
      "\x1A\x45\xDF\xA3\x9F\x42\x86\x81\x01\x42\xF7\x81\x01\x42\xF2\x81\x04\x42\xF3\x81\x08\x42\x82\x88matroska",
      "video/x-matroska",
    ],
    ["wOF2\0\x01\0\0", "font/woff2"],
    ["%PDF-1.7\n%\xE2\xE3\xCF\xD3\n", "application/pdf"],
    ["PK\x03\x04\x14\0\0\0", "application/zip"],
    ["\x1F\x8B\x08\0\0", "application/gzip"],
    ["\0asm\x01\0\0\0", "application/wasm"],
    ["SQLite format 3\0\x10\0", "application/vnd.sqlite3"],
    ["\x7FELF\x02\x01\x01\0", "application/x-executable"],
    [`${"\0".repeat(257)}ustar\x0000`, "application/x-tar"],
    ["\0\x01\x02\x03", "application/octet-stream"],
  ])("knows %j by its content, whatever its name says", (content, mimeType) => {
    expect(sniff(bytes(content), "/a/misleading.txt")).toEqual({ mimeType, isText: false });
  });

  it.each([
    ["/a/notes.md", "# Hi\n", "text/markdown"],
    ["/a/index.TS", "export {};\n", "text/x-typescript"],
    ["/a/data.json", "{}", "application/json"],
    ["/a/Makefile", "all:\n", "text/plain"],
    ["/a.d/plain", "text", "text/plain"],
    ["/a/.bashrc", "alias\n", "text/plain"],
    ["/a/empty.css", "", "text/css"],
    ["/a/drawing", '<?xml version="1.0"?>\n<svg xmlns="x"/>', "image/svg+xml"],
    ["/a/page", "\xEF\xBB\xBF<!DOCTYPE html><p>", "text/html"],
    ["/a/BMW.txt", "BMW and MZ and ID3 are letters", "text/plain"],
    ["/a/picture.png", "not a picture", "text/plain"],
  ])("takes text for text, and its kind from the name: %s", (name, content, mimeType) => {
    expect(sniff(bytes(content), name)).toEqual({ mimeType, isText: true });
  });

  it("takes UTF-16 with a mark for text, UTF-32 not", () => {
    expect(sniff(Buffer.from("\uFEFFhi", "utf16le"), "a.txt").isText).toBe(true);
    expect(sniff(Buffer.from("\uFEFFhi", "utf16le").swap16(), "a.txt").isText).toBe(true);
    expect(sniff(Buffer.from([0xff, 0xfe, 0, 0, 0x68, 0, 0, 0]), "a.txt").isText).toBe(false);
  });

  it("goes by the name where the content says no more", () => {
    expect(sniff(bytes("PK\x03\x04\x14\0"), "report.docx").mimeType).toMatch(/wordprocessingml/);
    expect(sniff(bytes("\x47\0\0\0"), "movie.ts").mimeType).toBe("video/mp2t");
    expect(sniff(bytes("\xE9t\xE9"), "old.txt")).toEqual({
      mimeType: "application/octet-stream",
      isText: false,
    });
  });

  it("takes a PDF for no text even if all of it is letters", () => {
    expect(sniff(bytes("%PDF-1.4\n1 0 obj\n"), "x")).toEqual({ mimeType: "application/pdf", isText: false });
  });

  it("forgives a character that was cut with the beginning, and no other", () => {
    const beginning = (tail: string): Buffer =>
      Buffer.concat([Buffer.alloc(SNIFF_BYTES - 2, "a"), Buffer.from(tail).subarray(0, 2)]);
    expect(sniff(beginning("€"), "a").isText).toBe(true);
    expect(sniff(beginning("€").subarray(1), "a").isText).toBe(false);
    expect(sniff(Buffer.alloc(SNIFF_BYTES, 0xe9), "a").isText).toBe(false);
  });
});
