import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

import type { Fields } from "@suite/check/wires";
import { textOf } from "@suite/check/wires";
import { expect, it } from "vitest";

import { visitOurs } from "../bed/ours.ts";
import { SERVERS } from "../contract/servers.ts";
import type { RawServer } from "../hostile/raw-server.ts";
import { describeOnLinux } from "../support/programs.ts";
import { inRoot } from "../support/root.ts";
import { inSoak } from "../support/soak.ts";
import { callTool, codeOf, openFilesystem } from "./talk.ts";
import { World } from "./world.ts";

/** The command as on macOS, as far as that can be played here. */
const asOnMac = ([node = "", ...rest]: readonly string[]): readonly string[] => [
  node,
  "--require",
  inRoot("e2e/filesystem-safety/as-macos.cjs"),
  ...rest,
];

async function call(server: RawServer, tool: string, args: Fields): Promise<string> {
  const answer = await callTool(server, tool, args);
  expect(codeOf(answer), `${tool} ${JSON.stringify(args)}: ${textOf(answer)}`).toBeUndefined();
  return textOf(answer);
}

const namesIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name !== ".suite-trash")
    .toSorted();

describeOnLinux("as on macOS", () => {
  it("names in another case or Unicode form are the same files, and are protected as they are", async () => {
    const world = new World();
    world.write("Dir/Käse.txt".normalize("NFD"), "one\n");
    world.write(".git/config", "[core]\n");
    const server = await openFilesystem(world, [world.root], asOnMac);
    const path = "dir/KÄSE.TXT".normalize("NFC");
    expect(await call(server, "read_text_file", { path })).toContain("one");
    await call(server, "edit_file", { path, edits: [{ oldText: "one", newText: "two" }] });
    await call(server, "write_file", { path, content: "three\n" });
    expect(namesIn(world.at("Dir"))).toEqual(["Käse.txt".normalize("NFD")]);
    await call(server, "undo", { id: "last" });
    expect(readFileSync(world.at("Dir/Käse.txt".normalize("NFD")), "utf8")).toBe("two\n");
    for (const taken of [".GIT/config", ".Suite-Trash/x"]) {
      const refused = await callTool(server, "write_file", { path: taken, content: "planted" });
      expect(codeOf(refused), taken).toBe("permission_denied");
    }
    for (const outside of ["../OUTSIDE/file", "../ROOT-EVIL/file", join(world.base, "Root-Evil/FILE")]) {
      const refused = await callTool(server, "read_text_file", { path: outside });
      expect([outside, codeOf(refused)]).toEqual([outside, "permission_denied"]);
    }
    expect(world.findStolen()).toEqual([]);
  });

  it("a move that changes only the case or the form is a rename, can be undone, and a folder is not put into itself", async () => {
    const world = new World();
    world.write("a.txt", "a\n");
    world.write("Dir/b.txt", "b\n");
    world.link("Dir/b.txt", "link");
    const server = await openFilesystem(world, [world.root], asOnMac);
    await call(server, "move_file", { source: "a.txt", destination: "A.TXT" });
    expect(namesIn(world.root)).toEqual(["A.TXT", "Dir", "link"]);
    await call(server, "undo", { id: "last" });
    expect(namesIn(world.root)).toEqual(["Dir", "a.txt", "link"]);
    await call(server, "move_file", { source: "Dir", destination: "dir" });
    expect(namesIn(world.root)).toEqual(["a.txt", "dir", "link"]);
    for (const tool of ["move_file", "copy_file"]) {
      const refused = await callTool(server, tool, { source: "dir", destination: "DIR/inside" });
      expect([tool, codeOf(refused)]).toEqual([tool, "invalid_input"]);
    }
    // A link of a link would lead to the file.
    await call(server, "delete_file", { path: "link" });
    await call(server, "undo", { id: "last" });
    expect(readlinkSync(world.at("link"))).toBe("Dir/b.txt");
    await call(server, "delete_file", { path: "DIR", recursive: true, permanent: true });
    expect(namesIn(world.root)).toEqual(["a.txt", "link"]);
  });

  it.each(inSoak(["filesystem", "git", "sqlite"], ["filesystem"]))("%s passes the bed", async (name) => {
    const server = SERVERS.find((one) => one.name === name);
    expect.assert(server);
    const { findings, verdicts } = await visitOurs(
      { ...server, command: asOnMac(server.command) },
      "stdio",
      "2025-11-25",
    );
    expect(findings).toEqual([]);
    expect(verdicts.get("tool calls")).toBe("works");
  });
});
