import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { callTool, type Fields, isGood, textOf } from "@suite/check/wires";
import { expect, it, onTestFinished } from "vitest";

import { toPdf } from "../fetch/web.ts";
import { readSkill } from "../skills/skill.ts";
import { oncePerFile } from "../support/afterwards.ts";
import { errorOf } from "../support/calls.ts";
import { paragraph, toDocx } from "../support/office-files.ts";
import type { Wire } from "../support/wire.ts";
import { commandOnWindows, createWindowsPlace, describeOnWindows, driveC, openOnWindows } from "./windows.ts";

const command = oncePerFile(() => commandOnWindows("filesystem"));

/** A root with a few files, something beside it that must stay unseen, and a server. */
async function openRoot(): Promise<{ here: string; there: string; wire: Wire }> {
  const { here: place, there: outside } = createWindowsPlace();
  const here = join(place, "Root dir");
  mkdirSync(join(here, "dir/sub"), { recursive: true });
  mkdirSync(join(place, "Root dir-evil"));
  writeFileSync(join(here, "a.txt"), "inside\n");
  writeFileSync(join(here, "dir/sub/b.ts"), "x\n");
  for (const file of ["secret.txt", "Root dir-evil/secret.txt"]) writeFileSync(join(place, file), "SECRET\n");
  const there = `${outside}\\Root dir`;
  return { here, there, wire: await openOnWindows([...command(), there]) };
}

const call = async (wire: Wire, tool: string, args: Fields): Promise<string> => {
  const response = await callTool(wire, tool, args);
  expect(isGood(response), `${tool} ${JSON.stringify(args)}: ${textOf(response)}`).toBe(true);
  return textOf(response);
};

describeOnWindows("the filesystem server on Windows", () => {
  it("takes every spelling of a path that leads inside, and no other", async () => {
    const { there, wire } = await openRoot();
    const uri = `file:///${there.replaceAll("\\", "/").replaceAll(" ", "%20")}`;
    const [drive, tail] = [there.slice(0, 2), there.slice(2)];
    const good = [
      "a.txt",
      "A.TXT",
      ".\\dir/..\\a.txt",
      `${there}\\a.txt`,
      `${there}/dir\\../A.txt`,
      `${drive.toLowerCase()}${tail.toUpperCase()}\\a.txt`,
      `${uri}/a.txt`,
      uri.replace("C:", "c%3A").concat("/a.txt"),
    ];
    for (const path of good) expect(await call(wire, "read_text_file", { path }), path).toContain("inside");
    const bad = [
      "..\\secret.txt",
      "../Root dir-evil/secret.txt",
      `${there}-evil\\secret.txt`,
      `${there}\\..\\secret.txt`,
      `${drive}a.txt`,
      `${tail}\\a.txt`,
      `\\\\?\\${there}\\a.txt`,
      `\\\\.\\${there}\\a.txt`,
      `\\\\?\\GLOBALROOT\\Device\\HarddiskVolume1${tail}\\a.txt`,
      `//localhost/C$${tail.replaceAll("\\", "/")}/a.txt`,
      `file://localhost/${drive}/secret.txt`,
      "a.txt.",
      "a.txt ",
      "a.txt::$DATA",
      "a.txt:stream",
      "dir::$INDEX_ALLOCATION\\sub\\b.ts",
      "CON",
      "dir\\nul.txt",
      "com1",
      "LPT\u00B9.log",
      "CONOUT$",
      "ROOTDI~1\\a.txt",
      "A~1.TXT",
      "a?.txt",
      "~\\a.txt",
    ];
    for (const path of bad) {
      const read = await callTool(wire, "read_text_file", { path });
      expect(isGood(read), path).toBe(false);
      expect(textOf(read), path).not.toMatch(/SECRET\n|inside\n/);
      const written = await callTool(wire, "write_file", { path, content: "planted" });
      expect(["invalid_input", "permission_denied"], path).toContain(errorOf(written).code);
    }
  });

  it("copies, moves and deletes directories, and leaves nothing behind", async () => {
    const { here, wire } = await openRoot();
    const place = dirname(here);
    const before = readdirSync(place).toSorted();
    await call(wire, "copy_file", { source: "dir", destination: "copied" });
    expect(readFileSync(join(here, "copied/sub/b.ts"), "utf8")).toBe("x\n");
    await call(wire, "move_file", { source: "copied", destination: "moved" });
    await call(wire, "move_file", { source: "a.txt", destination: "A.TXT" });
    await call(wire, "undo", { id: "last" });
    expect(readdirSync(here)).toContain("a.txt");
    await call(wire, "move_file", { source: "a.txt", destination: "A.txt" });
    await call(wire, "move_file", { source: "dir", destination: "DIR" });
    const names = (): string[] =>
      readdirSync(here)
        .filter((name) => !name.startsWith(".suite-trash"))
        .toSorted();
    expect(names()).toEqual(["A.txt", "DIR", "moved"]);
    const said = await call(wire, "delete_file", { path: "MOVED", recursive: true, permanent: true });
    expect(said).toContain("deleted for good");
    expect(names()).toEqual(["A.txt", "DIR"]);
    await call(wire, "write_file", { path: "A.txt", content: "new\n" });
    await call(wire, "edit_file", { path: "A.txt", edits: [{ oldText: "new", newText: "newer" }] });
    await call(wire, "append_file", { path: "A.txt", content: "more\n" });
    await call(wire, "undo", { id: "last" });
    expect(readFileSync(join(here, "A.txt"), "utf8")).toBe("newer\n");
    await call(wire, "delete_file", { path: "A.txt" });
    await call(wire, "undo", { id: "last" });
    expect(names()).toEqual(["A.txt", "DIR"]);
    expect(readdirSync(place).toSorted()).toEqual(before);
    expect(
      readdirSync(here, { recursive: true }).filter((name) => String(name).endsWith("suite-tmp")),
    ).toEqual([]);
  });

  it("opens nothing that Windows takes for a device, and believes nothing that anybody can make", async () => {
    const { here, there, wire } = await openRoot();
    // Made by another system. Reading from a console would never end.
    for (const name of ["con", "nul.txt", "a:b"]) writeFileSync(join(here, name), "x\n");
    expect(await call(wire, "list_directory", { path: "." })).toContain("con");
    const found = await call(wire, "search_content", { pattern: "x" });
    expect(found).toContain("b.ts");
    expect(found).not.toMatch(/(?:con|nul\.txt|a:b)\n1:/);
    // What Linux says of mounts in a file of this name.
    const planted = join(driveC, "proc/self/mountinfo");
    mkdirSync(dirname(planted), { recursive: true });
    onTestFinished(() => rmSync(join(driveC, "proc"), { recursive: true, force: true }));
    writeFileSync(planted, `1 1 1 / ${there.replaceAll(" ", "\\040")}\\dir\n`);
    await call(wire, "delete_file", { path: "dir", recursive: true, permanent: true });
    const taken = await callTool(wire, "write_file", { path: ".SUITE-TRASH\\x", content: "planted" });
    expect(errorOf(taken).code).toBe("permission_denied");
  });

  it("loses nothing of calls at once, nor of paths that are long", async () => {
    const { here, wire } = await openRoot();
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    const append = (line: string): Promise<string> =>
      call(wire, "append_file", { path: "log.txt", content: `${line}\n` });
    await Promise.all(lines.map(append));
    const written = readFileSync(join(here, "log.txt"), "utf8").trimEnd().split("\n");
    expect(written.toSorted()).toEqual(lines.toSorted());
    const path = `${Array.from({ length: 9 }, (_, index) => "d".repeat(40) + index).join("\\")}\\deep.txt`;
    await call(wire, "write_file", { path, content: "deep\n" });
    await call(wire, "edit_file", { path, edits: [{ oldText: "deep", newText: "deeper" }] });
    await call(wire, "undo", { id: "last" });
    expect(readFileSync(join(here, path.replaceAll("\\", "/")), "utf8")).toBe("deep\n");
  });

  it("finds names whichever slash a glob has", async () => {
    const { there, wire } = await openRoot();
    for (const pattern of [
      "**\\*.ts",
      "dir/**/*.ts",
      "dir\\sub\\*",
      `${there}\\dir\\**`,
      `${there.toLowerCase()}\\dir\\**`,
    ])
      expect(await call(wire, "search_files", { pattern }), pattern).toContain("b.ts");
    expect(await call(wire, "search_content", { pattern: "x", include: ["dir\\**"] })).toContain("b.ts");
  });

  it("tells of changes, and ends with its input", async () => {
    const { here } = await openRoot();
    const wire = await openOnWindows([...command(), here], { revision: "2025-11-25" });
    const uri = `file://${encodeURI(here)}/a.txt`;
    await wire.request("resources/subscribe", { uri });
    // Until it is watched, nothing is heard.
    const heard = wire.hear(({ method }) => method === "notifications/resources/updated");
    const timer = setInterval(() => writeFileSync(join(here, "a.txt"), String(Math.random())), 200);
    expect((await heard.finally(() => clearInterval(timer))).params).toMatchObject({ uri });
    expect(await wire.end()).toMatchObject({ code: 0 });
    expect(existsSync(join(here, basename(uri)))).toBe(true);
  });

  it("reads documents, and has skills", async () => {
    const { here, wire } = await openRoot();
    writeFileSync(join(here, "word.docx"), toDocx(paragraph("Of Word")));
    writeFileSync(join(here, "paper.pdf"), toPdf(["Of paper"]));
    expect(await call(wire, "read_text_file", { path: "WORD.docx" })).toContain("Of Word");
    expect(await call(wire, "read_text_file", { path: "paper.pdf" })).toContain("Of paper");
    const { result } = await wire.request("resources/read", { uri: "skill://rename-across-code/SKILL.md" });
    expect(result?.["contents"]).toMatchObject([{ text: readSkill("filesystem", "rename-across-code") }]);
  });

  it("prints configuration for hosts that starts there", async () => {
    const { there } = await openRoot();
    const wire = await openOnWindows([...command(), "--print-host-config", "claude-desktop", there], {});
    await wire.exited;
    const { mcpServers } = JSON.parse(wire.rawLines.join("\n")) as {
      mcpServers: { filesystem: { command: string; args: string[] } };
    };
    expect(mcpServers.filesystem.args.at(-1)).toBe(there);
    expect(mcpServers.filesystem.command).toBe("C:\\node\\node.exe");
    expect(wire.stderr).toContain("%APPDATA%\\Claude");
  });
});
