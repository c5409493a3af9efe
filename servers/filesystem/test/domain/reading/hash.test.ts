import { createHash, randomBytes } from "node:crypto";
import { appendFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ALGORITHMS, hashFile } from "../../../src/domain/reading/hash.ts";
import { WHOLE_FILE_BYTES } from "../../../src/domain/reading/limits.ts";
import { createScratch, never } from "./scratch.ts";

const { guard, write } = createScratch();
const MiB = 1024 * 1024;

describe("hashFile", () => {
  it("gives the known digests", () => {
    const path = write("abc", "abc");
    expect(hashFile(guard, { path }, never)).toEqual({
      path,
      algorithm: "sha256",
      digest: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      size: 3,
    });
    expect(hashFile(guard, { path, algorithm: "md5" }, never)).toMatchObject({
      digest: "900150983cd24fb0d6963f7d28e17f72",
    });
    expect(hashFile(guard, { path, algorithm: "sha1" }, never)).toMatchObject({
      digest: "a9993e364706816aba3e25717850c26c9cd0d89d",
    });
  });

  it("gives the same in parts, by every algorithm", async () => {
    const content = randomBytes(WHOLE_FILE_BYTES + 1);
    const path = write("parts", content);
    for (const algorithm of ALGORITHMS)
      expect(await hashFile(guard, { path, algorithm }, never)).toMatchObject({
        digest: createHash(algorithm).update(content).digest("hex"),
        size: content.length,
      });
  });

  it("says how far it is, and leaves out what is added meanwhile", async () => {
    const content = randomBytes(32 * MiB + 1);
    const path = write("growing", content);
    const heard: number[][] = [];
    const { digest, size } = await hashFile(guard, { path }, never, (...told) => {
      heard.push(told);
      appendFileSync(path, "more");
    });
    expect([digest, size]).toEqual([createHash("sha256").update(content).digest("hex"), content.length]);
    expect(heard).toEqual([[32 * MiB, content.length]]);
  });

  it("stops in the middle when it is told to", async () => {
    const path = write("large", Buffer.alloc(33 * MiB));
    const controller = new AbortController();
    const stopped = hashFile(guard, { path }, controller.signal, () => controller.abort(new Error("enough")));
    await expect(stopped).rejects.toThrow("enough");
  });
});
