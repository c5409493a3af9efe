import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { textOf } from "../support/calls.ts";
import type { RawServer } from "../hostile/raw-server.ts";
import { underPermissions } from "../support/processes.ts";
import { callTool, codeOf, dataOf, openFilesystem } from "./talk.ts";
import { World } from "./world.ts";

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
      ...(listed["entries"] as readonly { name: string }[]).map(({ name }) => `dir/${name}`),
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

describe("what the system refuses", () => {
  it("is said of the path that it is about", async () => {
    const world = new World();
    chmodSync(world.base, 0o755);
    chmodSync(world.root, 0o777);
    const secret = world.write("secret");
    world.write("closed/file");
    world.write("readable");
    chmodSync(secret, 0o000);
    const server = await openFilesystem(world, [world.root], underPermissions);
    chmodSync(world.at("closed"), 0o000);
    const long = "n".repeat(300);
    const rows: readonly (readonly [tool: string, args: object, path: string])[] = [
      ["read_text_file", { path: "secret" }, secret],
      ["copy_file", { source: "secret", destination: "copy" }, secret],
      ["list_directory", { path: "closed" }, world.at("closed")],
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
        path === "nnnnnn" ? "invalid_input" : "permission_denied",
      ]);
      expect(textOf(answer), tool).toContain(path);
      expect(textOf(answer), tool).not.toContain("What was asked for");
    }
    chmodSync(world.at("closed"), 0o755);
    expect(world.findLeftovers()).toEqual([]);
  });
});
