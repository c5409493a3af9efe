import { createHash, randomBytes } from "node:crypto";
import { appendFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ALGORITHMS, hashFile } from "../../../src/domain/reading/hash.ts";
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

  it("gives the same in parts, and says how far it is", async () => {
    const content = randomBytes(65 * MiB + 1);
    const path = write("large", content);
    const heard: number[][] = [];
    for (const algorithm of ALGORITHMS) {
      heard.length = 0;
      const { digest, size } = await hashFile(
        guard,
        { path, algorithm },
        never,
        (...told) => void heard.push(told),
      );
      expect(digest).toBe(createHash(algorithm).update(content).digest("hex"));
      expect(size).toBe(content.length);
      expect(heard).toEqual([
        [32 * MiB, content.length],
        [64 * MiB, content.length],
      ]);
    }
  });

  it("leaves out what is added meanwhile", async () => {
    const content = randomBytes(32 * MiB + 1);
    const path = write("growing", content);
    const { digest, size } = await hashFile(guard, { path }, never, () => appendFileSync(path, "more"));
    expect(digest).toBe(createHash("sha256").update(content).digest("hex"));
    expect(size).toBe(content.length);
  });

  it("stops in the middle when it is told to", async () => {
    const path = write("large", randomBytes(65 * MiB));
    const controller = new AbortController();
    const stopped = hashFile(guard, { path }, controller.signal, () => controller.abort(new Error("enough")));
    await expect(stopped).rejects.toThrow("enough");
  });
});
