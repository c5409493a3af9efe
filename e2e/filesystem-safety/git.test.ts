import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { callTool, codeOf, dataOf, openFilesystem } from "./talk.ts";
import { findAllowed, findTouched, tryAll } from "./untouched.ts";
import { WAYS, type Way } from "./ways.ts";
import { walk, World } from "./world.ts";

const HOOK = "#!/bin/sh\nmarker\n";

/** What puts something at the path, or takes something away from there. */
const isWriterThere = ({ writes, name }: Way): boolean =>
  writes === true && !name.startsWith("replace_in_files") && name !== "copy_file source";

function plantRepository(): World {
  const world = new World();
  world.write(".git/config", "[core]\n# marker\n");
  world.write(".git/hooks/post-checkout", HOOK);
  world.write("sub/.git", "gitdir: ../.git\n# marker\n");
  world.link(".git", "harmless");
  world.link(".git/hooks", "deep/link");
  return world;
}

const ownFiles = (world: World): readonly (readonly [string, string])[] =>
  [...walk(world.root)]
    .filter((path) => /\/\.git(\/|$)/.test(path.slice(world.root.length)) && !path.includes(".suite-trash"))
    .map((path) => {
      try {
        return [path, readFileSync(path, "utf8")] as const;
      } catch {
        return [path, "directory"] as const;
      }
    })
    .toSorted(([a], [b]) => (a < b ? -1 : 1));

describe("git's own files", () => {
  const PATHS = [
    ".git",
    ".git/",
    ".git/config",
    ".git/hooks/post-checkout",
    ".git/hooks/new/hook",
    ".git/../.git/config",
    "x/../.git/config",
    "sub/.git",
    "new/.git",
    "new/.git/hooks/pre-commit",
    "harmless/config",
    "deep/link/pre-commit",
    "deep/link",
    ".GIT/config",
    ".Git",
    ".git /config",
    ".git.",
    ".git. . ",
    "git~1/config",
    "GIT~2",
    ".git::$INDEX_ALLOCATION/config",
    ".g\u200Cit/config",
    ".git\uFEFF",
  ];

  it("cannot be written by any tool, however they are called", async () => {
    const world = plantRepository();
    const server = await openFilesystem(world);
    const [before, own] = [world.observe(), ownFiles(world)];
    for (const path of PATHS) {
      // A link to them may be moved and removed itself.
      const isLink = path === "deep/link";
      const ways = WAYS.filter((way) => isWriterThere(way) && !(isLink && way.takesLinks));
      expect(ways.length).toBeGreaterThan(6);
      const outcomes = await tryAll(server, world, path, ways);
      // Making a directory where one is changes nothing.
      const allowed = findAllowed(outcomes, ["permission_denied", "not_found", "invalid_input"]);
      expect.soft(allowed, path).toEqual([]);
      const refused = outcomes.filter(({ code }) => code === "permission_denied");
      expect.soft(refused.length, path).toBeGreaterThanOrEqual(ways.length - 3);
      expect.soft(ownFiles(world), path).toEqual(own);
      expect.soft(findTouched(world, before, server), path).toEqual([]);
    }
  });

  it("are left out of replacements and copies, and come back whole from the trash", async () => {
    const world = plantRepository();
    world.write("text", "marker\n");
    const server = await openFilesystem(world);
    const own = ownFiles(world);
    const everywhere = { path: ".", pattern: "marker", replacement: "x", respect_gitignore: false };
    const replaced = await callTool(server, "replace_in_files", { ...everywhere, expected_count: 1 });
    expect([codeOf(replaced), dataOf(replaced)["count"]]).toEqual([undefined, 1]);
    expect(ownFiles(world)).toEqual(own);
    const copied = await callTool(server, "copy_file", { source: "sub", destination: "copy" });
    expect(dataOf(copied)["skipped"]).toEqual([{ path: world.at("sub/.git"), reason: "protected" }]);
    expect(codeOf(await callTool(server, "delete_file", { path: "sub", recursive: true }))).toBeUndefined();
    expect(codeOf(await callTool(server, "undo", { id: "last" }))).toBeUndefined();
    expect(ownFiles(world)).toEqual(own);
  });

  it("do not come to be by moving something made elsewhere", async () => {
    const world = new World();
    world.write("made/hooks/post-checkout", HOOK);
    const server = await openFilesystem(world);
    for (const destination of [".git", "made/.git", "deep/.GIT", ".git/modules/x"]) {
      const moved = await callTool(server, "move_file", { source: "made/hooks", destination });
      const copied = await callTool(server, "copy_file", { source: "made", destination });
      expect([codeOf(moved), codeOf(copied)]).toEqual(["permission_denied", "permission_denied"]);
    }
    expect(ownFiles(world)).toEqual([]);
  });

  it("may be read", async () => {
    const server = await openFilesystem(plantRepository());
    expect(codeOf(await callTool(server, "read_text_file", { path: ".git/config" }))).toBeUndefined();
  });
});
