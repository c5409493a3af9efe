import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "@suite/check/wires";
import { describe, expect, it, onTestFinished } from "vitest";

import { describeOnLinux } from "../support/programs.ts";
import { callTool, codeOf, dataOf, openFilesystem } from "./talk.ts";
import { World } from "./world.ts";

const IS_ROOT = process.getuid?.() === 0;

/** The server with mounts of its own, which go with it. Anybody may have them in a user namespace. */
const mounting =
  (shell: string) =>
  (command: readonly string[]): readonly string[] => [
    "unshare",
    IS_ROOT ? "-m" : "-Urm",
    "sh",
    "-c",
    `${shell} && exec "$@"`,
    "sh",
    ...command,
  ];

const KiB = 1024;

describeOnLinux("a full disk", () => {
  it("is called so, costs no descriptor, leaves nothing, and can be freed", async () => {
    const world = new World();
    const server = await openFilesystem(
      world,
      [world.root],
      mounting(`mount -t tmpfs -o size=256k tmpfs '${world.root}'`),
    );
    const inside = join(`/proc/${server.pid}/root`, world.root);
    const countOpen = (): number => readdirSync(`/proc/${server.pid}/fd`).length;
    const write = (path: string, size: number): ReturnType<typeof callTool> =>
      callTool(server, "write_file", { path, content: "x".repeat(size) });
    expect(codeOf(await write("large", 180 * KiB))).toBeUndefined();
    const [before, open0] = [readdirSync(join(inside, ".suite-trash")), countOpen()];
    for (let round = 0; round < 10; round += 1) {
      const full = await write("folder/more", 180 * KiB);
      expect(codeOf(full)).toBe("unavailable");
      expect(textOf(full)).toMatch(/folder\/more.* no space left/);
    }
    const appended = await callTool(server, "append_file", { path: "large", content: "y".repeat(180 * KiB) });
    expect(codeOf(appended)).toBe("unavailable");
    expect(readFileSync(join(inside, "large"), "utf8")).toBe("x".repeat(180 * KiB));
    expect(readdirSync(inside).toSorted()).toEqual([".suite-trash", "large"]);
    expect(readdirSync(join(inside, ".suite-trash"))).toEqual(before);
    // Not a byte is left, for no record of anything.
    expect(() => writeFileSync(join(inside, "filler"), "z".repeat(300 * KiB))).toThrow(/ENOSPC/);
    expect(codeOf(await write("small", 1))).toBe("unavailable");
    expect(codeOf(await callTool(server, "create_directory", { path: "new" }))).toBe("unavailable");
    expect(existsSync(join(inside, "new"))).toBe(false);
    const kept = await callTool(server, "delete_file", { path: "large" });
    expect([codeOf(kept), textOf(kept)]).toEqual(["unavailable", expect.stringMatching(/permanent/)]);
    // The one before may have caught a file that was just being closed.
    await expect.poll(countOpen).toBeLessThanOrEqual(open0);
    expect(
      codeOf(await callTool(server, "delete_file", { path: "filler", permanent: true })),
    ).toBeUndefined();
    expect(existsSync(join(inside, "filler"))).toBe(false);
    // Recorded once there was room for it: "last" is not the change before.
    expect(textOf(await callTool(server, "undo", { id: "last" }))).toMatch(/filler", cannot be undone/);
    expect(codeOf(await write("small", 1))).toBeUndefined();
  });
});

describeOnLinux("a permanent deletion", () => {
  // Only root can make a file that its owner cannot remove.
  it.runIf(IS_ROOT)("names what it could not remove, which stays where it was", async () => {
    const world = new World();
    const stubborn = world.write("dir/deep/stubborn");
    const stubbornToo = world.write("dir/deep/stubborn-too");
    world.write("dir/deep/other");
    world.write("dir/first");
    execFileSync("chattr", ["+i", stubborn, stubbornToo]);
    onTestFinished(() => void execFileSync("chattr", ["-i", stubborn, stubbornToo]));
    const server = await openFilesystem(world);
    const args = { path: "dir", recursive: true, permanent: true };
    const answer = await callTool(server, "delete_file", args);
    expect(codeOf(answer)).toBe("permission_denied");
    expect(textOf(answer)).toMatch(/\/stubborn(-too)?".*, and 1 other entry\n/);
    expect(readdirSync(world.root).toSorted()).toEqual([".suite-trash", "dir"]);
    expect(readdirSync(world.at("dir"))).toEqual(["deep"]);
    expect(readdirSync(world.at("dir/deep")).toSorted()).toEqual(["stubborn", "stubborn-too"]);
    expect(textOf(await callTool(server, "undo", {}))).toContain("(cannot be undone: deleted for good)");
  });

  it.each([true, false])("does not cross mount points (permanent: %s)", async (permanent) => {
    const world = new World();
    world.write("dir/beside");
    mkdirSync(world.at("dir/mount point"));
    const server = await openFilesystem(
      world,
      [world.root],
      mounting(`mount -t tmpfs tmpfs '${world.at("dir/mount point")}'`),
    );
    const inside = join(`/proc/${server.pid}/root`, world.at("dir/mount point/file"));
    writeFileSync(inside, "on another volume");
    const answer = await callTool(server, "delete_file", { path: "dir", recursive: true, permanent });
    expect(codeOf(answer)).toBe("unsupported");
    expect(textOf(answer)).toContain(`"${world.at("dir/mount point")}"`);
    expect(existsSync(world.at("dir/beside"))).toBe(true);
    expect(readFileSync(inside, "utf8")).toBe("on another volume");
  });
});

describeOnLinux("a move away from a volume without a trash", () => {
  it("replaces nothing, which could not be kept", async () => {
    const world = new World();
    world.write("there", "there before");
    mkdirSync(world.at("mounted"));
    const server = await openFilesystem(
      world,
      [world.root],
      mounting(`mount -t tmpfs tmpfs '${world.at("mounted")}'`),
    );
    const inside = join(`/proc/${server.pid}/root`, world.at("mounted/file"));
    writeFileSync(inside, "new");
    const move = { source: "mounted/file", destination: "there", overwrite: true };
    expect(codeOf(await callTool(server, "move_file", move))).toBe("unsupported");
    expect(readFileSync(world.at("there"), "utf8")).toBe("there before");
    expect(codeOf(await callTool(server, "delete_file", { path: "there" }))).toBeUndefined();
    expect(codeOf(await callTool(server, "move_file", move))).toBeUndefined();
    expect([readFileSync(world.at("there"), "utf8"), existsSync(inside)]).toEqual(["new", false]);
  });
});

describeOnLinux("without /proc", () => {
  it("everything can still be written and taken back", async () => {
    const world = new World();
    world.write("dir/file", "one\n");
    const server = await openFilesystem(world, [world.root], mounting("mount -t tmpfs tmpfs /proc"));
    const steps: readonly (readonly [tool: string, args: object])[] = [
      ["write_file", { path: "new", content: "new" }],
      ["append_file", { path: "dir/file", content: "two\n" }],
      ["edit_file", { path: "dir/file", edits: [{ oldText: "one", newText: "1" }] }],
      ["copy_file", { source: "dir", destination: "copy" }],
      ["move_file", { source: "new", destination: "moved" }],
      ["delete_file", { path: "dir", recursive: true }],
      ["undo", { id: "last" }],
      ["search_content", { path: ".", pattern: "two" }],
    ];
    for (const [tool, args] of steps) {
      const answer = await callTool(server, tool, { path: undefined, ...args });
      expect([tool, codeOf(answer), codeOf(answer) && textOf(answer)]).toEqual([tool, undefined, undefined]);
    }
    expect(readFileSync(world.at("dir/file"), "utf8")).toBe("1\ntwo\n");
    expect(readFileSync(world.at("copy/file"), "utf8")).toBe("1\ntwo\n");
  });
});

describe("a volume without hard links", () => {
  /** The server as on such a volume, where other programs make "taken" and "empty" faster, and it is ended in the middle of "killed". */
  const openLinkless = (world: World): ReturnType<typeof openFilesystem> => {
    const patch = world.plantOutside("patch.cjs");
    writeFileSync(
      patch,
      `const fs = require("node:fs");
      fs.linkSync = (from, to) => {
        if (to.endsWith("/taken")) fs.writeFileSync(to, "theirs");
        if (to.endsWith("/empty")) fs.writeFileSync(to, "");
        throw Object.assign(new Error("EPERM: operation not permitted, link"), { code: "EPERM" });
      };
      const { renameSync } = fs;
      fs.renameSync = (from, to) => {
        if (to.endsWith("/killed")) process.kill(process.pid, "SIGKILL");
        renameSync(from, to);
      };
      require("node:module").syncBuiltinESMExports();`,
    );
    return openFilesystem(world, [world.root], ([node = "", ...rest]) => [node, "--require", patch, ...rest]);
  };

  it("has nothing replaced that came to be in the last moment", async () => {
    const world = new World();
    world.write("mine", "mine");
    const server = await openLinkless(world);
    const taken = await callTool(server, "move_file", { source: "mine", destination: "taken" });
    expect([codeOf(taken), readFileSync(world.at("taken"), "utf8")]).toEqual(["conflict", "theirs"]);
    expect(readFileSync(world.at("mine"), "utf8")).toBe("mine");
    const empty = await callTool(server, "copy_file", { source: "mine", destination: "empty" });
    expect([codeOf(empty), readFileSync(world.at("empty"), "utf8")]).toEqual(["conflict", ""]);
    expect(
      codeOf(await callTool(server, "move_file", { source: "mine", destination: "free" })),
    ).toBeUndefined();
    expect(codeOf(await callTool(server, "write_file", { path: "new", content: "new" }))).toBeUndefined();
    expect(readFileSync(world.at("free"), "utf8")).toBe("mine");
    expect(dataOf(await callTool(server, "read_text_file", { path: "new" }))).toMatchObject({ text: "new" });
    expect(world.findLeftovers()).toEqual([]);
  });

  it("keeps no empty file of a server that was ended when it had only taken the name", async () => {
    const world = new World();
    const server = await openLinkless(world);
    const params = { name: "write_file", arguments: { path: "killed", content: "new" } };
    server.say({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    await server.ended;
    expect(readFileSync(world.at("killed"), "utf8")).toBe("");
    await openFilesystem(world);
    await expect.poll(() => readdirSync(world.root)).toEqual([".suite-trash"]);
  });
});
