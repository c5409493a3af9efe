import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { PathGuard } from "@suite/server-kit/domain";
import { describe, expect, it } from "vitest";
import { TextFile } from "../../../src/domain/transfer/text-file.ts";
import { countOpenFiles } from "../open-files.ts";
import { useScratch } from "../scratch.ts";
import { collect } from "./pieces.ts";

const scratch = useScratch();

const open = (name: string): TextFile => new TextFile(new PathGuard({ roots: [scratch.folder] }), name);

async function read(name: string): Promise<string> {
  const file = open(name);
  try {
    return (await collect(file)).join("");
  } finally {
    file.close();
  }
}

describe("a file of text", () => {
  it("is read whole, in pieces that cut no character", async () => {
    const text = "\u{1F600}é".repeat(100_001);
    writeFileSync(scratch.path("a.csv"), `\uFEFF${text}`);
    expect(await read("a.csv")).toBe(text);
    writeFileSync(scratch.path("empty.csv"), "");
    expect(await read("empty.csv")).toBe("");
  });

  it.each([
    ["a letter of Latin-1", Buffer.from([0x61, 0xe9, 0x0a])],
    ["half a character at the end", Buffer.from([0x61, 0xf0, 0x9f])],
    ["UTF-16", Buffer.from("\uFEFFa,b\n", "utf16le")],
    ["a surrogate", Buffer.from([0xed, 0xa0, 0x80])],
  ])("with %s is refused", async (_, bytes) => {
    writeFileSync(scratch.path("a.csv"), bytes);
    await expect(read("a.csv")).rejects.toMatchObject({
      code: "invalid_input",
      message: `"${scratch.path("a.csv")}" is not UTF-8 text. Nothing was imported.`,
    });
  });

  it("is inside, and a file", () => {
    mkdirSync(scratch.path("folder"));
    symlinkSync("/etc/hostname", scratch.path("link.csv"));
    expect(() => open("folder")).toThrow(expect.objectContaining({ code: "invalid_input" }) as Error);
    expect(() => open("missing.csv")).toThrow(expect.objectContaining({ code: "not_found" }) as Error);
    expect(() => open("link.csv")).toThrow(expect.objectContaining({ code: "permission_denied" }) as Error);
    expect(() => open("/etc/passwd")).toThrow(
      expect.objectContaining({ code: "permission_denied" }) as Error,
    );
  });

  it("leaves nothing open, and reads nothing more once it is closed", async () => {
    writeFileSync(scratch.path("a.csv"), "x".repeat(1_000_000));
    const before = countOpenFiles();
    const file = open("a.csv");
    const pieces = file[Symbol.asyncIterator]();
    expect((await pieces.next()).value).toHaveLength(256 * 1024);
    file.close();
    file.close();
    expect((await pieces.next()).done).toBe(true);
    expect(countOpenFiles()).toBe(before);
  });
});
