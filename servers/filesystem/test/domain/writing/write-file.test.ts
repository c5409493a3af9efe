import { chmodSync, statSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { etagOf } from "@suite/server-kit/domain";
import { needs } from "@suite/server-kit/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { writeFile } from "../../../src/domain/writing/write-file.ts";
import { Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => void (scratch = new Scratch()));

const write = (input: Parameters<typeof writeFile>[1]): ReturnType<typeof writeFile> =>
  writeFile(scratch.request(), input);

describe("a new file", () => {
  it("has the mode that the umask leaves", async () => {
    await write({ path: "a.txt", content: "" });
    const ordinary = scratch.write("b.txt", "");
    expect(statSync(scratch.at("a.txt")).mode).toBe(statSync(ordinary).mode);
  });

  it("does not appear below a file", async () => {
    scratch.write("file", "");
    const input = { path: "file/below", content: "" };
    await expect(write(input)).rejects.toMatchObject({ code: "invalid_input" });
  });

  it.each(["new/", "new/.", "new/sub/.."])(
    "does not take %s, which is meant for a directory",
    async (path) => {
      await expect(write({ path, content: "" })).rejects.toMatchObject({
        code: "invalid_input",
        message: expect.stringContaining("the path ends with /, . or ..") as string,
      });
      expect(scratch.tree()).toEqual({});
    },
  );

  it("takes bytes as base64, and no half of them", async () => {
    await write({ path: "a", content: "/wAB\nZg==", encoding: "base64" });
    expect(scratch.tree()["a"]).toBe(Buffer.from([0xff, 0x00, 0x01, 0x66]).toString());
    for (const content of ["!!!!", "abc", "ab=c"]) {
      await expect(write({ path: "b", content, encoding: "base64" })).rejects.toMatchObject({
        code: "invalid_input",
      });
    }
  });

  it("may have a name as long as names can be", async () => {
    const name = "ä".repeat(127);
    await write({ path: name, content: "long" });
    expect(scratch.tree()).toEqual({ [name]: "long" });
  });
});

describe("an existing file", () => {
  needs(it, "file modes")(
    "is replaced by another with its mode, without the bits that let it run as somebody else",
    async () => {
      const path = scratch.write("run.sh", "old");
      chmodSync(path, 0o4751);
      const before = statSync(path).ino;
      const result = await write({ path, content: "new" });
      expect(result.existed).toBe(true);
      expect(statSync(path).mode & 0o7777).toBe(0o751);
      expect(statSync(path).ino).not.toBe(before);
    },
  );

  it("keeps its owner where we may give it away", async () => {
    const path = scratch.write("theirs", "old");
    const isRoot = process.getuid?.() === 0;
    const owner = isRoot ? 12_345 : (process.getuid?.() ?? 0);
    if (isRoot) execFileSync("chown", [`${owner}:${owner}`, path]);
    await write({ path, content: "new" });
    expect(statSync(path).uid).toBe(owner);
  });

  it("with the same content is left alone", async () => {
    const path = scratch.write("a", "same");
    const before = statSync(path, { bigint: true });
    const result = await write({ path, content: "same" });
    expect(result).toMatchObject({ changed: [], etag: etagOf(Buffer.from("same")) });
    expect(result).not.toHaveProperty("undo");
    expect(statSync(path, { bigint: true }).ctimeNs).toBe(before.ctimeNs);
  });

  it("lets one of many win who have all read the same version", async () => {
    const path = scratch.write("a", "zero");
    const if_match = etagOf(Buffer.from("zero"));
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => write({ path, content: `by ${index}`, if_match })),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("is shown as a diff in a dry run, and stays", async () => {
    const path = scratch.write("a", "one\ntwo\n");
    const result = await writeFile(scratch.request(true), { path, content: "one\n2\n" });
    expect(result).toMatchObject({ changed: [path], etag: etagOf(Buffer.from("one\ntwo\n")) });
    expect(result.diff).toContain("-two\n+2\n");
    expect(scratch.read("a")).toBe("one\ntwo\n");
    expect(() => scratch.entries()).toThrow("ENOENT");
  });
});
