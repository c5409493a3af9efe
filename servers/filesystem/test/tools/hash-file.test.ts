import { expect, it } from "vitest";
import { ALGORITHMS } from "../../src/domain/reading/hash.ts";
import { hashFileTool } from "../../src/tools/hash-file.ts";
import { createScratch } from "../domain/reading/scratch.ts";
import { connectTool, textOf } from "./tool-client.ts";

const scratch = createScratch();

it("hash_file gives the digest in every way it offers", async () => {
  const path = scratch.write("abc", "abc");
  const call = await connectTool(hashFileTool, scratch);
  const digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  const result = await call({ path });
  expect(result.structuredContent).toEqual({ path, algorithm: "sha256", digest, size: 3 });
  expect(textOf(result)).toBe(`sha256 ${digest} "${path}" (3 bytes)`);
  for (const algorithm of ALGORITHMS) {
    expect((await call({ path, algorithm })).structuredContent).toMatchObject({ algorithm });
  }
});
