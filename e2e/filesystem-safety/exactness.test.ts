import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { textOf } from "@suite/check/wires";
import { describe, expect, it, onTestFinished } from "vitest";

import type { RawServer } from "../hostile/raw-server.ts";
import { underPermissions } from "../support/processes.ts";
import { callTool, codeOf, dataOf, openFilesystem } from "./talk.ts";
import { FAST, World } from "./world.ts";
import { describeOnLinux } from "../support/programs.ts";

describe("a path from a result", () => {
  it("means the same file when it is given back, whatever is in its name", async () => {
    const world = new World();
    const names = ["a\u200Bb.txt", "a\\u{200B}b.txt", "line\nbreak.txt", '"quoted".txt', "<untrusted-x>.txt"];
    for (const name of names) world.write(`dir/${name}`, name);
    const server = await openFilesystem(world);
    const found = dataOf(await callTool(server, "search_files", { path: "dir", pattern: "*.txt" }));
    const listed = dataOf(await callTool(server, "list_directory", { path: "dir" }));
    const paths = [
      ...(found["matches"] as readonly (string | { path: string })[]).map((match) =>
        typeof match === "string" ? match : match.path,
      ),
      ...(listed["files"] as readonly string[]).map((name) => `dir/${name}`),
    ];
    const texts = await Promise.all(
      paths.map(async (path) => readFileSync(world.at("dir", await nameAt(server, path)), "utf8")),
    );
    expect(texts.toSorted()).toEqual([...names, ...names].toSorted());
    const hidden = paths.find((path) => path.includes("\\u{200B}") && !path.includes("\\u{5C}")) ?? "";
    expect(codeOf(await callTool(server, "delete_file", { path: hidden }))).toBeUndefined();
    expect(names.map((name) => existsSync(world.at("dir", name)))).toEqual([false, true, true, true, true]);
  });
});

/** Each file holds its own name. */
async function nameAt(server: RawServer, path: string): Promise<string> {
  const { result } = await callTool(server, "read_media_file", { path });
  const content = (result?.["content"] ?? []) as readonly { data?: string; resource?: { blob: string } }[];
  const [, block] = content;
  return Buffer.from(block?.data ?? block?.resource?.blob ?? "", "base64").toString();
}

describe("text that no file can hold", () => {
  it.each([
    ["write_file", { path: "file", content: "a\uD800b" }],
    ["append_file", { path: "file", content: "\uDC00" }],
    ["edit_file", { path: "file", edits: [{ oldText: "inside", newText: "\uD800" }] }],
    ["replace_in_files", { path: ".", pattern: "inside", replacement: "\uDFFF", expected_count: 1 }],
  ])("is refused by %s", async (tool, args) => {
    const world = new World();
    world.write("file");
    const server = await openFilesystem(world);
    const answer = await callTool(server, tool, { ...args });
    expect(codeOf(answer)).toBe("invalid_input");
    expect(readFileSync(world.at("file"), "utf8")).toBe("inside\n");
  });
});

it("a byte order mark does not hide the first line from ^", async () => {
  const world = new World();
  world.write("marked", "\uFEFFfirst\nsecond\n");
  const server = await openFilesystem(world);
  const args = { path: ".", pattern: "^first$", regex: true };
  const { files } = dataOf(await callTool(server, "search_content", args));
  expect(files).toMatchObject([{ matches: [{ line: 1, column: 1, text: "first" }] }]);
});

it("a text that is there twice, one over the other, is not taken for one", async () => {
  const world = new World();
  const file = world.write("bananas.txt", "banana\n");
  const server = await openFilesystem(world);
  const edits = [{ oldText: "ana", newText: "x" }];
  const answer = await callTool(server, "edit_file", { path: "bananas.txt", edits });
  expect(codeOf(answer)).toBe("conflict");
  expect(readFileSync(file, "utf8")).toBe("banana\n");
});

describe("beside other programs", () => {
  it("an append only adds, and cuts nobody off", async () => {
    const world = new World();
    const log = world.write("log", "");
    const server = await openFilesystem(world);
    const logger = spawn(process.execPath, [
      "-e",
      `const fs = require("fs"), fd = fs.openSync(process.argv[1], "a");
       for (let i = 0; i < 400; i++) { fs.writeSync(fd, "theirs " + i + "\\n"); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2); }`,
      log,
    ]);
    const ended = new Promise((resolve) => logger.on("close", resolve));
    for (let index = 0; index < 60; index += 1) {
      const answer = await callTool(server, "append_file", { path: "log", content: `ours ${index}\n` });
      expect(codeOf(answer)).toBeUndefined();
    }
    await ended;
    const lines = readFileSync(log, "utf8").trimEnd().split("\n");
    expect(lines.filter((line) => line.startsWith("theirs"))).toHaveLength(400);
    expect(lines.filter((line) => line.startsWith("ours"))).toHaveLength(60);
  });

  it("an edit loses no line that they append by the file's name", async () => {
    const world = new World("root", FAST);
    const log = world.write("log", "round 0\n");
    const server = await openFilesystem(world);
    // A line counts if its file still had the name after it was written: later, nobody can know that it was about to lose it.
    const logger = spawn(process.execPath, [
      "-e",
      `const fs = require("fs"), path = process.argv[1], clock = new Int32Array(new SharedArrayBuffer(4));
       for (let i = 0; !fs.existsSync(path + ".done"); i++) {
         const fd = fs.openSync(path, "a"), line = "theirs " + i + "\\n";
         fs.writeSync(fd, line);
         if (fs.fstatSync(fd).ino === fs.statSync(path).ino) process.stdout.write(line);
         fs.closeSync(fd);
         Atomics.wait(clock, 0, 0, Math.random() * 8);
       }`,
      log,
    ]);
    let theirs = "";
    logger.stdout.setEncoding("utf8").on("data", (text: string) => void (theirs += text));
    const ended = new Promise((resolve) => logger.on("close", resolve));
    onTestFinished(() => void logger.kill());
    for (let round = 0; round < 150; round += 1) {
      const edits = [{ oldText: `round ${round}\n`, newText: `round ${round + 1}\n` }];
      const edited = await callTool(server, "edit_file", { path: "log", edits });
      expect(codeOf(edited), textOf(edited)).toBeUndefined();
    }
    world.write("log.done");
    await ended;
    const lines = new Set(readFileSync(log, "utf8").split("\n"));
    expect(theirs.split("\n").length).toBeGreaterThan(50);
    expect(theirs.split("\n").filter((line) => !lines.has(line))).toEqual([]);
    expect(lines).toContain("round 150");
  });

  it.each(["copied", "restored"])("undo keeps what they put in a %s directory", async (how) => {
    const world = new World();
    world.write("dir/file");
    const server = await openFilesystem(world);
    const copy = { source: "dir", destination: "there" };
    await callTool(server, "copy_file", copy);
    if (how === "restored") {
      await callTool(server, "delete_file", { path: "there", recursive: true });
      await callTool(server, "undo", { id: "last" });
    }
    const { changes } = dataOf(await callTool(server, "undo", {}));
    const [newest] = changes as readonly { id: string }[];
    writeFileSync(world.at("there/theirs"), "theirs");
    const undone = await callTool(server, "undo", { id: newest?.id });
    expect(codeOf(undone)).toBe("conflict");
    expect(readFileSync(world.at("there/theirs"), "utf8")).toBe("theirs");
  });
});

describe("a bare repository", () => {
  const PATHS = ["bare/config", "bare/hooks/post-update", "bare/objects/x", "bare"];

  it("has its settings and hooks protected like those of any other", async () => {
    const world = new World();
    execFileSync("git", ["init", "-q", "--bare", world.at("bare")]);
    world.write("evil", "[core]\n\tfsmonitor = touch /tmp/pwned\n");
    const server = await openFilesystem(world);
    for (const path of PATHS) {
      const ways: readonly (readonly [string, object])[] = [
        ["write_file", { path, content: "x" }],
        ["move_file", { source: "evil", destination: path, overwrite: true }],
        ["copy_file", { source: "evil", destination: path, overwrite: true }],
        ["delete_file", { path, recursive: true }],
      ];
      for (const [tool, args] of ways) {
        expect([path, tool, codeOf(await callTool(server, tool, { ...args }))]).toEqual([
          path,
          tool,
          "permission_denied",
        ]);
      }
    }
    const allowed = await openFilesystem(world, ["--allow-git-writes", world.root]);
    const args = { path: "bare/description", content: "mine" };
    expect(codeOf(await callTool(allowed, "write_file", args))).toBeUndefined();
  });
});

/** Other kinds of refusals than permission_denied, by what is said. */
const KINDS = [
  ["nnnnnn", "invalid_input"],
  ["may not be listed", "not_found"],
] as const;

/** The server on a system where deleting what fits goes wrong: as if it worked, or once with an error. */
const withUnlink =
  (fits: RegExp, isSilent: boolean) =>
  ([node = "", ...args]: readonly string[]): readonly string[] => {
    const shim = `
      import fs from "node:fs";
      import { syncBuiltinESMExports } from "node:module";
      const { unlinkSync } = fs;
      let failures = 0;
      fs.unlinkSync = (path) => {
        if (!${fits}.test(path) || (!${isSilent} && failures > 0)) return unlinkSync(path);
        failures += 1;
        if (!${isSilent}) throw Object.assign(new Error("EPERM: unlink"), { code: "EPERM" });
      };
      syncBuiltinESMExports();`;
    return [node, "--import", `data:text/javascript,${encodeURIComponent(shim)}`, ...args];
  };

describe("a system that does not delete", () => {
  it("a lock once does not make the file unwritable", async () => {
    const world = new World();
    world.write("file");
    const server = await openFilesystem(world, [world.root], withUnlink(/lock\.suite-tmp$/, false));
    for (const content of ["one", "two"]) {
      expect(codeOf(await callTool(server, "write_file", { path: "file", content }))).toBeUndefined();
      expect(world.findLeftovers()).toHaveLength(content === "one" ? 1 : 0);
    }
  });

  it("what it says it has deleted is not believed", async () => {
    const world = new World();
    const file = world.write("dir/file");
    const server = await openFilesystem(world, [world.root], withUnlink(/file/, true));
    for (const args of [{ path: "dir/file" }, { path: "dir", recursive: true }]) {
      const answer = await callTool(server, "delete_file", { ...args, permanent: true });
      expect(textOf(answer)).toMatch(/^Not everything could be deleted: /);
      expect(textOf(answer)).toContain(`"${world.at(args.path)}"`);
      expect(readFileSync(file, "utf8")).toBe("inside\n");
    }
  });
});

describe("undo of the last change", () => {
  it("stops at one that cannot be undone, and names it", async () => {
    const world = new World();
    world.write("older", "old");
    world.write("gone");
    const server = await openFilesystem(world);
    const written = dataOf(await callTool(server, "write_file", { path: "older", content: "new" }));
    await callTool(server, "delete_file", { path: "gone", permanent: true });
    const undone = await callTool(server, "undo", { id: "last" });
    expect(codeOf(undone)).toBe("unsupported");
    expect(textOf(undone)).toMatch(
      /^The last change, delete_file ".*\/gone", cannot be undone: deleted for good\n.*give its id/,
    );
    expect(readFileSync(world.at("older"), "utf8")).toBe("new");
    const list = await callTool(server, "undo", {});
    expect(dataOf(list)["changes"]).toMatchObject([
      { tool: "delete_file", paths: [world.at("gone")], undoable: false, reason: "deleted for good" },
      { tool: "write_file", id: written["undo"] },
    ]);
    expect(textOf(list)).toMatch(/gone": deleted \(cannot be undone: deleted for good\)/);
    const [{ id }] = dataOf(list)["changes"] as [{ id: string }];
    expect(textOf(await callTool(server, "undo", { id, force: true }))).toContain(`The change ${id}`);
    expect(codeOf(await callTool(server, "undo", { id: written["undo"] }))).toBeUndefined();
    expect(readFileSync(world.at("older"), "utf8")).toBe("old");
  });

  it("is refused with --no-undo, where nobody knows which one it was", async () => {
    const world = new World();
    world.write("file", "old");
    const first = await openFilesystem(world);
    await callTool(first, "write_file", { path: "file", content: "new" });
    const second = await openFilesystem(world, ["--no-undo", world.root]);
    await callTool(second, "write_file", { path: "file", content: "newest" });
    const undone = await callTool(second, "undo", { id: "last", force: true });
    expect([codeOf(undone), textOf(undone)]).toEqual(["unsupported", expect.stringMatching(/--no-undo/)]);
    expect(readFileSync(world.at("file"), "utf8")).toBe("newest");
  });
});

describeOnLinux("what the system refuses", () => {
  it("is said of the path that it is about", async () => {
    const world = new World();
    chmodSync(world.base, 0o755);
    chmodSync(world.root, 0o777);
    const secret = world.write("secret");
    world.write("closed/file");
    world.write("unlisted/file");
    world.write("readable");
    chmodSync(secret, 0o000);
    const server = await openFilesystem(world, [world.root], underPermissions);
    chmodSync(world.at("closed"), 0o000);
    chmodSync(world.at("unlisted"), 0o311);
    const long = "n".repeat(300);
    const rows: readonly (readonly [tool: string, args: object, path: string])[] = [
      ["read_text_file", { path: "secret" }, secret],
      ["copy_file", { source: "secret", destination: "copy" }, secret],
      ["list_directory", { path: "closed" }, world.at("closed")],
      ["read_text_file", { path: "unlisted/none" }, `"${world.at("unlisted")}" may not be listed`],
      ["directory_tree", { path: "closed" }, world.at("closed")],
      ["write_file", { path: "closed/new", content: "" }, "closed/new"],
      ["create_directory", { path: "closed/new" }, "closed/new"],
      ["delete_file", { path: "closed/file" }, world.at("closed")],
      ["move_file", { source: "readable", destination: "closed/moved" }, "closed"],
      ["create_directory", { path: long }, "nnnnnn"],
      ["move_file", { source: "readable", destination: long }, "nnnnnn"],
      ["copy_file", { source: "readable", destination: long }, "nnnnnn"],
    ];
    for (const [tool, args, path] of rows) {
      const answer = await callTool(server, tool, { ...args });
      expect([tool, codeOf(answer)]).toEqual([
        tool,
        KINDS.find(([part]) => path.includes(part))?.[1] ?? "permission_denied",
      ]);
      expect(textOf(answer), tool).toContain(path);
      expect(textOf(answer), tool).not.toContain("What was asked for");
    }
    chmodSync(world.at("closed"), 0o755);
    expect(world.findLeftovers()).toEqual([]);
  });
});
