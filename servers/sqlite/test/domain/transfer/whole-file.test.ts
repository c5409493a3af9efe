import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { PathGuard } from "@suite/server-kit/domain";
import { describe, expect, it } from "vitest";
import { WholeFile } from "../../../src/domain/transfer/whole-file.ts";
import { countOpenFiles } from "../open-files.ts";
import { useScratch } from "../scratch.ts";

const scratch = useScratch();

const create = (name: string, overwrite = false): WholeFile =>
  new WholeFile(new PathGuard({ roots: [scratch.folder] }), name, overwrite, {
    pid: process.pid,
    isRunning: (pid) => pid === process.pid,
  });

const faultWith = (code: string): Error => expect.objectContaining({ code }) as Error;

describe("a whole file", () => {
  it("appears when it is finished, and leaves nothing behind", () => {
    const before = countOpenFiles();
    const file = create("a.csv");
    file.open();
    expect([file.write("é,"), file.write("b")]).toEqual([3, 1]);
    expect(readdirSync(scratch.folder)).toEqual([expect.stringMatching(/^\.\w{8}-\d+-\w{12}\.suite-tmp$/)]);
    expect(file.finish()).toBe(4);
    file.discard();
    expect(readdirSync(scratch.folder)).toEqual(["a.csv"]);
    expect(readFileSync(file.path, "utf8")).toBe("é,b");
    expect(countOpenFiles()).toBe(before);
  });

  it("that is given up was never there, with all that SQLite left beside it", () => {
    const before = countOpenFiles();
    const file = create("a.db");
    file.open();
    const temporary = file.temporaryForOthers;
    for (const suffix of ["-journal", "-wal", "-shm"]) writeFileSync(`${temporary}${suffix}`, "");
    file.discard();
    expect(readdirSync(scratch.folder)).toEqual([]);
    expect(countOpenFiles()).toBe(before);
    expect(() => file.write("late")).toThrow(faultWith("cancelled"));
    expect(() => file.finish()).toThrow(faultWith("cancelled"));
  });

  it("takes away what a process left that is gone, and nothing else", () => {
    const file = create("a.csv");
    file.open();
    const [mine = ""] = readdirSync(scratch.folder);
    const gone = mine.replace(`-${process.pid}-`, "-1-");
    const kept = [".other-1-0123456789ab.suite-tmp", "data.suite-tmp", mine];
    for (const name of [gone, `${gone}-journal`, ...kept]) writeFileSync(scratch.path(name), "");
    create("b.csv").discard();
    expect(readdirSync(scratch.folder).toSorted()).toEqual(kept.toSorted());
    file.discard();
  });

  it("takes no other's place unless told", () => {
    writeFileSync(scratch.path("a.csv"), "old");
    expect(() => create("a.csv")).toThrow(faultWith("conflict"));
    const file = create("a.csv", true);
    file.open();
    file.write("new");
    expect(readFileSync(scratch.path("a.csv"), "utf8")).toBe("old");
    file.finish();
    expect(readFileSync(scratch.path("a.csv"), "utf8")).toBe("new");
    expect(readdirSync(scratch.folder)).toEqual(["a.csv"]);
  });

  it("gives way to one that came meanwhile", () => {
    const file = create("a.csv");
    file.open();
    writeFileSync(scratch.path("a.csv"), "faster");
    expect(() => file.finish()).toThrow(faultWith("conflict"));
    expect(readFileSync(scratch.path("a.csv"), "utf8")).toBe("faster");
    expect(readdirSync(scratch.folder)).toEqual(["a.csv"]);
  });

  it("has the rights that are wanted", () => {
    const file = create("a.db");
    file.open(0o600);
    file.finish();
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
  });

  it("stays inside, and out of places that are taken", () => {
    mkdirSync(scratch.path("folder"));
    const before = countOpenFiles();
    expect(() => create("../a.csv")).toThrow(faultWith("permission_denied"));
    expect(() => create("missing/a.csv")).toThrow(faultWith("not_found"));
    expect(() => create("folder")).toThrow(faultWith("conflict"));
    const file = create("folder", true);
    file.open();
    expect(() => file.finish()).toThrow(/folder/);
    expect(readdirSync(scratch.folder)).toEqual(["folder"]);
    expect(countOpenFiles()).toBe(before);
  });
});
