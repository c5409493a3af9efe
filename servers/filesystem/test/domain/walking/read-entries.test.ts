import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { needs } from "@suite/server-kit/testing";
import { describe, expect, it } from "vitest";
import { compareNames, readEntries } from "../../../src/domain/walking/read-entries.ts";
import { createScratch } from "../reading/scratch.ts";

const { root, write } = createScratch();

describe("readEntries", () => {
  needs(
    it,
    "named pipes",
    "symbolic links",
  )("knows files, directories, links and the rest", () => {
    write("kinds/file");
    write("kinds/directory/");
    symlinkSync("nowhere", join(root, "kinds/link"));
    execFileSync("mkfifo", [join(root, "kinds/pipe")]);
    expect(readEntries(join(root, "kinds"))).toEqual([
      { name: "directory", kind: "directory", isBroken: false },
      { name: "file", kind: "file", isBroken: false },
      { name: "link", kind: "link", isBroken: false },
      { name: "pipe", kind: "other", isBroken: false },
    ]);
  });

  it("sorts by bytes", () => {
    const names = ["B", "a", "a-", "a.b", "z", "é", "\uE000", "😀"];
    for (const name of names.toReversed()) write(`sorted/${name}`);
    expect(readEntries(join(root, "sorted")).map(({ name }) => name)).toEqual(names);
  });

  needs(it, "names that are no text")(
    "shows names that are not valid UTF-8 with their bytes, and takes those with U+FFFD in them for what they are",
    () => {
      mkdirSync(join(root, "broken"));
      const directory = Buffer.from(`${join(root, "broken")}/`);
      for (const name of [Buffer.from([0x61, 0xff, 0x5c]), Buffer.from([0xc3]), Buffer.from("real\uFFFD")]) {
        writeFileSync(Buffer.concat([directory, name]), "");
      }
      write("broken/plain");
      expect(readEntries(join(root, "broken"))).toEqual([
        { name: "\\xC3", kind: "file", isBroken: true },
        { name: "a\\xFF\\\\", kind: "file", isBroken: true },
        { name: "plain", kind: "file", isBroken: false },
        { name: "real\uFFFD", kind: "file", isBroken: false },
      ]);
    },
  );
});

const name = fc.string({
  unit: fc.constantFrom("a", "b", "~", "é", "\uE000", "\uFFFD", "😀", "𐀀"),
  maxLength: 4,
});

describe("compareNames", () => {
  it("orders by the bytes of UTF-8", () => {
    fc.assert(
      fc.property(name, name, (a, b) => {
        expect(Math.sign(compareNames(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });
});
