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
import { dirname, join, posix, win32 } from "node:path";

import { PathGuard } from "@suite/server-kit/domain";
import { needs } from "@suite/server-kit/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import {
  isOnAnotherMachine,
  lacksDrive,
  openAt,
  requireGitInside,
} from "../../../src/domain/repository/repository.ts";

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

const openPath = (path: string, trusted = false): ReturnType<typeof openAt> => {
  const guard = new PathGuard({ roots: [root] });
  return openAt(guard, guard.locate(join(root, path)), { trusted });
};
const open = (): ReturnType<typeof openAt> => openPath("work");

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function link(path: string, target: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  symlinkSync(target, join(root, path));
}

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
    const { commonDir, overrides } = open() ?? {};
    expect([commonDir, overrides?.()]).toEqual([own, ["core.fsmonitor="]]);
    writeFileSync(join(own, "config"), "[core]\n\tfsmonitor = evil\n\teditor = evil\n");
    expect(overrides?.()).toEqual(["core.fsmonitor=", "core.editor="]);
  });

  needs(it, "symbolic links")("is read again when what a link leads to has changed", () => {
    const config = join(createGitDir("work/.git"), "config");
    rmSync(config);
    write("common/config", "[core]\n\teditor = evil\n");
    symlinkSync("../../common/config", config);
    const repository = open();
    expect(repository?.overrides()).toEqual(["core.editor="]);
    appendFileSync(join(root, "common/config"), "\tfsmonitor = evil\n");
    expect(repository?.overrides()).toEqual(["core.editor=", "core.fsmonitor="]);
  });

  needs(it, "symbolic links")(
    "is refused where a path goes back up from a link, and taken where it does not",
    () => {
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
    },
  );
});

describe("a git directory that a checkout could replace", () => {
  type Place = [what: string, path: string, make: () => void];

  function isRefused(_what: string, path: string, make: () => void): void {
    make();
    expect(() => openPath(path)).toThrow("where a checkout could replace it");
    expect(openPath(path, true)).toBeDefined();
  }

  it.each<Place>([
    [
      "beside its .git file",
      "work",
      () => {
        createGitDir("work/gd");
        write("work/.git", "gitdir: gd\n");
      },
    ],
    [
      "with objects from the work tree",
      "work",
      () => {
        write("work/objs/ab/x", "");
        write("work/.git/objects/info/alternates", "../../objs\n");
        createGitDir("work/.git");
      },
    ],
    [
      "with a common directory in a work tree",
      "work",
      () => {
        createGitDir("work/gd");
        write("work/.git/HEAD", "ref: refs/heads/main\n");
        write("work/.git/commondir", "../gd\n");
      },
    ],
    [
      "that is a work tree itself",
      "work",
      () => {
        createGitDir("gd");
        createGitDir("gd/.git");
        write("work/.git", "gitdir: ../gd\n");
      },
    ],
    [
      "of a bare repository in a work tree",
      "work/fixtures/a.git",
      () => {
        createGitDir("work/.git");
        createGitDir("work/fixtures/a.git");
      },
    ],
    [
      "of a work tree that is linked from below it",
      "work",
      () => {
        write("work/.bare/config", "");
        writeFileSync(join(createGitDir("work/.bare"), "config"), "[core]\n\tbare = true\n");
        write("work/.bare/worktrees/x/HEAD", "ref: refs/heads/main\n");
        write("work/.bare/worktrees/x/commondir", "../..\n");
        write("work/.git", "gitdir: .bare/worktrees/x\n");
      },
    ],
  ])("is refused %s, unless it is trusted", isRefused);

  needs(it, "symbolic links").each<Place>([
    [
      "with a configuration from the work tree",
      "work",
      () => {
        rmSync(join(createGitDir("work/.git"), "config"));
        write("work/cfg", "");
        link("work/.git/config", "../cfg");
      },
    ],
    [
      "with a configuration by way of a link in the work tree",
      "work",
      () => {
        rmSync(join(createGitDir("work/.git"), "config"));
        write("safe/cfg", "");
        link("work/way", "../safe");
        link("work/.git/config", "../way/cfg");
      },
    ],
    [
      "with a link to what is not there yet",
      "work",
      () => {
        createGitDir("work/.git");
        link("work/.git/refs/heads/x", "../../../later");
      },
    ],
    [
      "with a link to another work tree",
      "work",
      () => {
        createGitDir("work/.git");
        createGitDir("other/.git");
        link("work/.git/objects/ab", "../../../other");
      },
    ],
  ])("is refused %s, unless it is trusted", isRefused);

  needs(it, "symbolic links")("is none in the ways that people keep them", () => {
    createGitDir("work/.git");
    link("work/.git/hooks/pre-commit", "../../scripts/pre-commit");
    createGitDir("work/.git/modules/sub");
    link("work/.git/modules/sub/hooks", "../../../scripts");
    write("work/sub/.git", "gitdir: ../.git/modules/sub\n");
    createGitDir("work/nested/.git");
    write("work/.git/worktrees/linked/HEAD", "ref: refs/heads/x\n");
    write("work/.git/worktrees/linked/commondir", "../..\n");
    write("work/linked/.git", "gitdir: ../.git/worktrees/linked\n");
    createGitDir("separate");
    write("apart/.git", "gitdir: ../separate\n");
    for (const path of ["work", "work/sub", "work/nested", "work/linked", "separate", "apart"])
      expect(openPath(path), path).toMatchObject({ isBare: path === "separate" });
    writeFileSync(join(createGitDir("project/.bare"), "config"), "[core]\n\tbare = true\n");
    write("project/.git", "gitdir: ./.bare\n");
    write("project/.bare/worktrees/main/HEAD", "ref: refs/heads/main\n");
    write("project/.bare/worktrees/main/commondir", "../..\n");
    write("project/main/.git", "gitdir: ../.bare/worktrees/main\n");
    for (const path of ["project", "project/.bare", "project/main"])
      expect(openPath(path), path).toMatchObject({ isBare: path !== "project/main" });
  });
});

it("a work tree is refused among git's own files, and taken beside them", () => {
  createGitDir("work.git");
  for (const path of ["work.git/main", "work.git/refs/heads"]) createGitDir(`${path}/.git`);
  expect(openPath("work.git/main")).toMatchObject({ isBare: false });
  expect(() => openPath("work.git/refs/heads")).toThrow("among git's own files");
});

describe("a link in a git directory", () => {
  needs(it, "symbolic links")("is followed to further links", () => {
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

  needs(it, "symbolic links")("is followed in an alternate, too", () => {
    const gitDir = createGitDir("work/.git");
    mkdirSync(join(root, "store"));
    writeFileSync(join(gitDir, "objects/info/alternates"), "../../../store\n");
    expect(open()?.gitDir).toBe(gitDir);
    symlinkSync(tmpdir(), join(root, "store", "pack"));
    expect(open).toThrow("leads out of the directories");
  });

  needs(it, "names that are no text", "symbolic links").each([
    bytes("\xFF.idx"),
    Buffer.from("a\\u{41}.idx"),
  ])("leads out whatever it is called: %j", (name) => {
    const gitDir = createGitDir("work/.git");
    symlinkSync(join(tmpdir(), "x"), Buffer.concat([bytes(`${gitDir}/objects/pack/`), name]));
    expect(open).toThrow(/leads out of the directories|not valid UTF-8/);
  });
});

describe("what a repository names again and again", () => {
  const countReads = (path: string): number => {
    const guard = new PathGuard({ roots: [root] });
    const reads = vi.spyOn(guard, "openFile");
    openAt(guard, guard.locate(join(root, path)), { trusted: false });
    return reads.mock.calls.length;
  };

  it("is one alternate, of which there may not be too many", () => {
    const file = join(createGitDir("work/.git"), "objects/info/alternates");
    writeFileSync(file, ".\n".repeat(4));
    // The other reading is that of the configuration.
    expect(countReads("work")).toBe(2);
    writeFileSync(file, ".\n".repeat(101));
    expect(open).toThrow("more than 100 alternates");
  });

  needs(it, "symbolic links")("is one bare repository, whatever links there are in it", () => {
    writeFileSync(join(createGitDir("project/bare"), "config"), "[core]\n\tbare = true\n");
    write("project/.git", "gitdir: bare\n");
    write("project/bare/target", "");
    for (let count = 0; count < 10; count += 1) link(`project/bare/refs/x/${count}`, "../../target");
    expect(countReads("project")).toBeLessThan(6);
  });
});

it.each([
  ["//evil/share/x", "C:\\repo\\.git", true],
  ["\\\\evil\\share\\x", "C:\\repo\\.git", true],
  ["\\\\?\\UNC\\evil\\share\\x", "C:\\repo\\.git", true],
  ["../work", "C:\\repo\\.git", false],
  ["D:/work", "C:\\repo\\.git", false],
  ["../work", "\\\\Server\\share\\repo\\.git", false],
  ["//server/SHARE/work", "\\\\Server\\share\\repo\\.git", false],
])("on Windows, %s from %s is on another machine: %s", (pointed, from, answer) => {
  expect(isOnAnotherMachine(from, pointed, win32)).toBe(answer);
  // Elsewhere, no path is.
  expect(isOnAnotherMachine(root, pointed, posix)).toBe(false);
});

it.each([
  ["C:x/.git", true],
  ["c:", true],
  ["\\x", true],
  ["/x", true],
  ["C:/x", false],
  ["C:\\x", false],
  ["../x", false],
  ["//host/share/x", false],
])("on Windows, %s lacks a drive: %s", (pointed, answer) => {
  expect(lacksDrive(pointed, win32)).toBe(answer);
  expect(lacksDrive(pointed, posix)).toBe(false);
});

it("what a submodule's .git leads to is inside", () => {
  const look = (): void => {
    const guard = new PathGuard({ roots: [join(root, "work")] });
    requireGitInside(guard, guard.locate("sub"));
  };
  mkdirSync(join(root, "work/sub"), { recursive: true });
  expect(look).not.toThrow();
  createGitDir("work/.git/modules/sub");
  write("work/sub/.git", "gitdir: ../.git/modules/sub\n");
  expect(look).not.toThrow();
  write("work/.git/modules/sub/commondir", "../../../../outside\n");
  expect(look).toThrow("its commondir file leads out");
  createGitDir("outside");
  write("work/sub/.git", `gitdir: ${join(root, "outside")}\n`);
  expect(look).toThrow("its .git file leads out");
});
