import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, parse, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { PathGuard } from "@suite/server-kit/domain";
import { needs } from "@suite/server-kit/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { completePath, completeUriPath } from "../../../src/domain/browsing/complete-path.ts";

let base: string;
let root: string;
let guard: PathGuard;

const write = (path: string, text = ""): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "completing-")));
  root = join(base, "root");
  for (const path of ["src/index.ts", "src/inner/x", "README.md", "scripts/run.sh", ".github/ci.yml"])
    write(path);
  guard = new PathGuard({ roots: [root] });
});

afterEach(() => rmSync(base, { recursive: true }));

const complete = (typed: string): readonly string[] => completePath(guard, typed).values;

describe("completePath", () => {
  it.each([
    ["s", ["scripts/", "src/"]],
    ["src", ["src/"]],
    ["src/", ["src/index.ts", "src/inner/"]],
    ["src/in", ["src/index.ts", "src/inner/"]],
    ["src/ind", ["src/index.ts"]],
    ["./src/ind", ["./src/index.ts"]],
    ["read", ["README.md"]],
    ["x", []],
    ["missing/", []],
    ["README.md/", []],
    [".", [".github/"]],
    ["../", []],
    ["/etc/", []],
    ["/etc/passw", []],
    ["\0", []],
  ])("goes on from %j with %j", (typed, values) => {
    expect(complete(typed)).toEqual(values);
  });

  it("starts with the roots and what is in them", () => {
    expect(complete("")).toEqual([root + sep, "README.md", "scripts/", "src/"]);
    expect(complete(parse(root).root)).toEqual([root + sep]);
    expect(complete(`${base}/`)).toEqual([root + sep]);
    expect(complete(`${base}/ro`)).toEqual([root + sep]);
    expect(complete(root)).toEqual([root + sep]);
    expect(complete(`${root}/sr`)).toEqual([`${root}/src/`]);
    expect(complete(`${base}/x`)).toEqual([]);
  });

  it("looks into all roots for a relative path", () => {
    const second = join(base, "second");
    mkdirSync(join(second, "site"), { recursive: true });
    guard = new PathGuard({ roots: [root, second] });
    expect(complete("s")).toEqual(["scripts/", "src/", "site/"]);
    expect(complete(`${base}/`)).toEqual([root + sep, second + sep]);
  });

  it("offers directories alone where only they are of use", () => {
    expect(completePath(guard, "src/", { directoriesOnly: true }).values).toEqual(["src/inner/"]);
  });

  needs(it, "symbolic links")("offers nothing that is ignored, or that leads out", () => {
    write("../secret/x");
    write(".gitignore", "dist/\n*.log\n");
    for (const path of ["dist/x", "debug.log", ".suite-trash/x", "docs/a.log", "docs/a.md"]) write(path);
    symlinkSync("../secret", join(root, "secret"));
    symlinkSync("src", join(root, "source"));
    symlinkSync("README.md", join(root, "sample"));
    symlinkSync("missing", join(root, "stale"));
    expect(complete("d")).toEqual(["docs/"]);
    expect(complete("docs/")).toEqual(["docs/a.md"]);
    expect(complete("s")).toEqual(["sample", "scripts/", "source/", "src/"]);
    expect(complete("secret/")).toEqual([]);
    expect(complete(".")).toEqual([".github/", ".gitignore"]);
  });

  it("gives as many as the protocol allows, and says that there are more", () => {
    for (let count = 0; count < 101; count += 1) write(`many/${1000 + count}`);
    const { values, hasMore } = completePath(guard, "many/");
    expect(values).toHaveLength(100);
    expect(hasMore).toBe(true);
    expect(completePath(guard, "many/10").hasMore).toBe(false);
  });
});

describe("completeUriPath", () => {
  const completeUri = (typed: string): readonly string[] => completeUriPath(guard, typed).values;
  const start = (): string => `${pathToFileURL(root).href.slice("file:///".length)}/`;

  it("takes and gives what stands behind file:///", () => {
    expect(completeUri("")).toEqual([start()]);
    expect(completeUri(start())).toEqual(["README.md", "scripts/", "src/"].map((name) => start() + name));
    expect(completeUri(`${start()}src/ind`)).toEqual([`${start()}src/index.ts`]);
    expect(completeUri("etc/")).toEqual([]);
  });

  needs(it, "any character in names")("spells names as URIs do, and leaves what was typed as it was", () => {
    write("My Docs/100%#?.md");
    expect(completeUri(`${start()}My`)).toEqual([`${start()}My%20Docs/`]);
    expect(completeUri(`${start()}My%20D`)).toEqual([`${start()}My%20Docs/`]);
    expect(completeUri(`${start()}My%2`)).toEqual([]);
    expect(completeUri(`${start()}My Docs/`)).toEqual([`${start()}My Docs/100%25%23%3F.md`]);
    expect(completeUri(`${start()}My%20Docs/`)).toEqual([`${start()}My%20Docs/100%25%23%3F.md`]);
  });
});
