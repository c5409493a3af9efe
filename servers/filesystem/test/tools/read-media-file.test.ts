import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { readMediaFile } from "../../src/tools/read-media-file.ts";
import { createScratch } from "../domain/reading/scratch.ts";
import { connectTool, textOf } from "./tool-client.ts";

const scratch = createScratch();
const { write } = scratch;
const call = await connectTool(readMediaFile, scratch);
const PNG = Buffer.from("\x89PNG\r\n\x1A\n\0\0\0\rIHDR", "latin1");

describe("read_media_file", () => {
  it("gives an image as one, and its bytes only there", async () => {
    const path = write("a b.png", PNG);
    const result = await call({ path });
    expect(result.structuredContent).toMatchObject({ path, mime_type: "image/png", kind: "image", size: 16 });
    expect(result.content[1]).toEqual({ type: "image", data: PNG.toString("base64"), mimeType: "image/png" });
    expect(textOf(result)).toMatch(new RegExp(`^"${path}": image/png, 16 bytes, etag \\S+$`));
    expect(JSON.stringify(result.structuredContent)).not.toContain(PNG.toString("base64"));
  });

  it("gives sounds as such and anything else as a resource", async () => {
    write("a.flac", "fLaC\0");
    expect((await call({ path: "a.flac" })).content[1]).toMatchObject({
      type: "audio",
      mimeType: "audio/flac",
    });
    const path = write("a#b.pdf", "%PDF-1.4");
    expect((await call({ path })).content[1]).toEqual({
      type: "resource",
      resource: {
        uri: pathToFileURL(path).href,
        mimeType: "application/pdf",
        blob: Buffer.from("%PDF-1.4").toString("base64"),
      },
    });
  });

  it("gives a part, and says where the rest is", async () => {
    write("b.png", PNG);
    const result = await call({ path: "b.png", offset: 1, length: 3 });
    expect(textOf(result)).toMatch(
      /: image\/png, 16 bytes, bytes 1-3 of it, etag \S+\nTruncated. Continue with offset: 4\.$/,
    );
    expect(result.content[1]).toMatchObject({
      type: "resource",
      resource: { mimeType: "application/octet-stream", blob: Buffer.from("PNG").toString("base64") },
    });
  });
});
