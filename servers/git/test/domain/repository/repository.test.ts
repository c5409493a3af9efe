import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { PathGuard } from "@suite/server-kit/domain";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openAt } from "../../../src/domain/repository/repository.ts";

let root = "";
beforeEach(() => (root = realpathSync(mkdtempSync(join(tmpdir(), "suite-repository-")))));
afterEach(() => rmSync(root, { recursive: true }));

/** As much of a git directory as there must be. */
function createGitDir(path: string): string {
  const gitDir = join(root, path);
  for (const folder of ["objects/info", "objects/pack", "refs/heads"])
    mkdirSync(join(gitDir, folder), { recursive: true });
  writeFileSync(join(gitDir, "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(gitDir, "config"), "[core]\n\tbare = false\n");
  return gitDir;
}

const open = (): ReturnType<typeof openAt> => {
  const guard = new PathGuard({ roots: [root] });
  return openAt(guard, guard.locate(join(root, "work")), { trusted: false });
};

const bytes = (text: string): Buffer => Buffer.from(text, "latin1");

describe("what git would read in another way", () => {
  it.each([
    ["config", '[filter "x\xFFy"]\n\tclean = evil\n'],
    // Git takes it for merge.x.driver, which is not safe, and not for merge.….name, which is.
    ["config", '[merge "x.driver\0y"]\n\tname = evil\n'],
    ["config.worktree", '[filter "x\xFFy"]\n\tclean = evil\n'],
    ["commondir", "../../c\xFF\n"],
    ["commondir", "../../c\0d\n"],
    ["objects/info/alternates", "../../../c\xFF/objects\n"],
  ])("is refused in %s: %j", (file, text) => {
    // So that there is something where a wrong reading leads to.
    for (const decoy of ["c\uFFFD", "c"]) createGitDir(decoy);
    const place = join(createGitDir("work/.git"), file);
    mkdirSync(dirname(place), { recursive: true });
    appendFileSync(place, bytes(text));
    expect(open).toThrow("is not UTF-8 text");
  });

  it("is refused in a .git file", () => {
    createGitDir("c\uFFFD");
    mkdirSync(join(root, "work"));
    writeFileSync(join(root, "work", ".git"), bytes("gitdir: ../c\xFF\n"));
    expect(open).toThrow("is not UTF-8 text");
  });

  it("is not looked for under the name that an escape stands for", () => {
    createGitDir("cA");
    const own = createGitDir("c\\u{41}");
    writeFileSync(join(own, "config"), "[core]\n\tfsmonitor = evil\n");
    writeFileSync(join(createGitDir("work/.git"), "commondir"), "../../c\\u{41}\n");
    expect(open()).toMatchObject({ commonDir: own, overrides: ["core.fsmonitor="] });
  });

  it("is refused where a path goes back up from a link, and taken where it does not", () => {
    const gitDir = createGitDir("work/.git");
    createGitDir("work/.git/c");
    createGitDir("elsewhere/c");
    mkdirSync(join(root, "elsewhere/in"));
    symlinkSync(join(root, "elsewhere/in"), join(gitDir, "link"));
    symlinkSync(join(root, "elsewhere/in"), join(gitDir, "..."));
    for (const spelling of ["link/../c", "link//../c", "link/./../c", ".../../c", `${gitDir}/link/../c`]) {
      writeFileSync(join(gitDir, "commondir"), `${spelling}\n`);
      expect(open, spelling).toThrow("goes back up from a link");
    }
    writeFileSync(join(gitDir, "commondir"), "refs/../c\n");
    expect(open()?.commonDir).toBe(join(gitDir, "c"));
  });
});

describe("a link in a git directory", () => {
  it("is followed to further links", () => {
    const gitDir = createGitDir("work/.git");
    mkdirSync(join(root, "store"));
    symlinkSync(tmpdir(), join(root, "store", "out"));
    symlinkSync(join(root, "store"), join(gitDir, "objects", "ab"));
    expect(open).toThrow("leads out of the directories");
    rmSync(join(root, "store", "out"));
    // One that leads back to where it is.
    symlinkSync(gitDir, join(root, "store", "again"));
    expect(open()?.gitDir).toBe(gitDir);
  });

  it("is followed in an alternate, too", () => {
    const gitDir = createGitDir("work/.git");
    mkdirSync(join(root, "store"));
    writeFileSync(join(gitDir, "objects/info/alternates"), "../../../store\n");
    expect(open()?.gitDir).toBe(gitDir);
    symlinkSync(tmpdir(), join(root, "store", "pack"));
    expect(open).toThrow("leads out of the directories");
  });

  it.each([bytes("\xFF.idx"), Buffer.from("a\\u{41}.idx")])("leads out whatever it is called: %j", (name) => {
    const gitDir = createGitDir("work/.git");
    symlinkSync(join(tmpdir(), "x"), Buffer.concat([bytes(`${gitDir}/objects/pack/`), name]));
    expect(open).toThrow(/leads out of the directories|is no text/);
  });
});
