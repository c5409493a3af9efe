import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { needs } from "@suite/core/testing";
import { describe, expect, it } from "vitest";

import { AtomicFile } from "../../../src/domain/paths/atomic-file.ts";
import { PathGuard } from "../../../src/domain/paths/guard.ts";
import { useScratch } from "./scratch.ts";

const scratch = useScratch();

const SIDE_FILES = ["-journal", "-wal"];

const create = (name: string, overwrite = false): AtomicFile =>
  new AtomicFile(new PathGuard({ roots: [scratch.root] }), name, {
    owner: { pid: process.pid, isRunning: (pid) => pid === process.pid },
    overwrite,
    sideFiles: SIDE_FILES,
    logs: SIDE_FILES,
  });

const inRoot = (name: string): string => join(scratch.root, name);
const namesInRoot = (): string[] => readdirSync(scratch.root).toSorted();

const DESCRIPTORS = "/proc/self/fd";

/** How many files this process has open, where the system tells. */
const countOpenFiles = (): number => (existsSync(DESCRIPTORS) ? readdirSync(DESCRIPTORS).length : 0);

const faultWith = (code: string): Error => expect.objectContaining({ code }) as Error;

describe("an atomic file", () => {
  it("appears when it is finished, and leaves nothing behind", () => {
    const before = countOpenFiles();
    const file = create("a.csv");
    file.open();
    expect([file.write("é,"), file.write("b")]).toEqual([3, 1]);
    expect(namesInRoot()).toEqual([expect.stringMatching(/^\.\w{8}-\d+-\w{12}\.suite-tmp$/)]);
    expect(file.finish()).toBe(4);
    file.discard();
    expect(namesInRoot()).toEqual(["a.csv"]);
    expect(readFileSync(file.path, "utf8")).toBe("é,b");
    expect(countOpenFiles()).toBe(before);
  });

  it("that is given up was never there, with all that was left beside it", () => {
    const before = countOpenFiles();
    const file = create("a.db");
    file.open();
    const temporary = file.temporaryForOthers;
    for (const suffix of SIDE_FILES) writeFileSync(`${temporary}${suffix}`, "");
    file.discard();
    expect(namesInRoot()).toEqual([]);
    expect(countOpenFiles()).toBe(before);
    expect(() => file.write("late")).toThrow(faultWith("cancelled"));
    expect(() => file.finish()).toThrow(faultWith("cancelled"));
  });

  it("keeps nothing open if something beside it cannot be removed", () => {
    const before = countOpenFiles();
    const file = create("a.db");
    file.open();
    mkdirSync(`${file.temporaryForOthers}-wal`);
    expect(() => file.discard()).toThrow("EISDIR");
    expect(countOpenFiles()).toBe(before);
    expect(() => file.write("late")).toThrow(faultWith("cancelled"));
  });

  it("takes away what a process left that is gone, and nothing else", () => {
    const file = create("a.csv");
    file.open();
    const [mine = ""] = namesInRoot();
    const gone = mine.replace(`-${process.pid}-`, "-1-");
    const kept = [".other-1-0123456789ab.suite-tmp", "data.suite-tmp", mine];
    for (const name of [gone, `${gone}-journal`, ...kept]) writeFileSync(inRoot(name), "");
    create("b.csv").discard();
    expect(namesInRoot()).toEqual(kept.toSorted());
    file.discard();
  });

  it("takes no other's place unless told", () => {
    writeFileSync(inRoot("a.csv"), "old");
    expect(() => create("a.csv")).toThrow(faultWith("conflict"));
    const file = create("a.csv", true);
    file.open();
    file.write("new");
    expect(readFileSync(inRoot("a.csv"), "utf8")).toBe("old");
    file.finish();
    expect(readFileSync(inRoot("a.csv"), "utf8")).toBe("new");
    expect(namesInRoot()).toEqual(["a.csv"]);
  });

  it("gives way to one that came meanwhile", () => {
    const file = create("a.csv");
    file.open();
    writeFileSync(inRoot("a.csv"), "faster");
    expect(() => file.finish()).toThrow(faultWith("conflict"));
    expect(readFileSync(inRoot("a.csv"), "utf8")).toBe("faster");
    expect(namesInRoot()).toEqual(["a.csv"]);
  });

  it.each(SIDE_FILES)("keeps away from a %s of another file, old or new", (suffix) => {
    const file = create("a.db");
    file.open();
    writeFileSync(inRoot(`a.db${suffix}`), "late");
    expect(() => file.finish()).toThrow(faultWith("conflict"));
    expect(() => create("a.db")).toThrow(faultWith("conflict"));
    expect(namesInRoot()).toEqual([`a.db${suffix}`]);
    writeFileSync(inRoot("a.db"), "old");
    expect(() => create("a.db", true)).toThrow(faultWith("conflict"));
    expect(readFileSync(inRoot("a.db"), "utf8")).toBe("old");
    // One without content is what is left when nothing is to be done.
    writeFileSync(inRoot(`a.db${suffix}`), "");
    const next = create("a.db", true);
    next.open();
    expect(next.finish()).toBe(0);
  });

  needs(it, "file modes")("has the rights that are wanted", () => {
    const file = create("a.db");
    file.open(0o600);
    file.finish();
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
  });

  it("stays inside, and out of places that are taken", () => {
    mkdirSync(inRoot("folder"));
    const before = countOpenFiles();
    expect(() => create("../a.csv")).toThrow(faultWith("permission_denied"));
    expect(() => create("missing/a.csv")).toThrow(faultWith("not_found"));
    for (const overwrite of [false, true])
      expect(() => create("folder", overwrite)).toThrow(faultWith("invalid_input"));
    expect(namesInRoot()).toEqual(["folder"]);
    expect(countOpenFiles()).toBe(before);
  });
});
