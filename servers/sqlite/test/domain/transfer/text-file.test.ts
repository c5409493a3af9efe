import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { PathGuard } from "@suite/server-kit/domain";
import { needs } from "@suite/server-kit/testing";
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
    ["UTF-8", Buffer.from("é"), "utf-8", "é"],
    ["UTF-8 with a mark", Buffer.from("\uFEFFé"), "utf-8", "é"],
    ["UTF-16", Buffer.from("\uFEFFé,b\n", "utf16le"), "utf-16le", "é,b\n"],
    ["UTF-16, the other way", Buffer.from("\uFEFFé", "utf16le").swap16(), "utf-16be", "é"],
    ["UTF-16 without a mark", Buffer.from('{"é', "utf16le"), "utf-16le", '{"é'],
    ["UTF-16 without a mark, the other way", Buffer.from("a,é", "utf16le").swap16(), "utf-16be", "a,é"],
    ["an old Windows", Buffer.from([0x61, 0xe9, 0x80]), "windows-1252", "aé€"],
  ])("in %s is known", async (_, bytes, encoding, text) => {
    writeFileSync(scratch.path("a.csv"), bytes);
    const file = open("a.csv");
    expect([file.encoding, file.peek(), (await collect(file)).join("")]).toEqual([encoding, text, text]);
    file.close();
  });

  it("is refused where it turns out to be something else", async () => {
    writeFileSync(scratch.path("a.csv"), Buffer.concat([Buffer.alloc(300_000, "a"), Buffer.from([0xe9])]));
    await expect(read("a.csv")).rejects.toMatchObject({
      code: "invalid_input",
      message: `"${scratch.path("a.csv")}" is not utf-8 text. Nothing was imported.`,
    });
    writeFileSync(scratch.path("b.csv"), Buffer.concat([Buffer.from("Müller, Jörg,"), Buffer.from([0xff])]));
    await expect(read("b.csv")).rejects.toThrow("is not utf-8 text. Nothing was imported.");
    const guard = new PathGuard({ roots: [scratch.folder] });
    expect(() => new TextFile(guard, "a.csv", "klingon")).toThrow('There is no encoding "klingon".');
    const file = new TextFile(guard, "a.csv", "latin1");
    expect((await collect(file)).join("")).toHaveLength(300_001);
    file.close();
  });

  needs(it, "symbolic links")("is inside, and a file", () => {
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
    await expect.poll(countOpenFiles).toBeLessThanOrEqual(before);
  });
});
