import { rmSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { failureOf, openGit, Plain, resultOf } from "./program.ts";

describe("staging", () => {
  it("takes in what took the place of something else, but no repository", async () => {
    const plain = Plain.init();
    plain.commit("first", { "folder/x": "x\n", file: "f\n", nested: "n\n" });
    for (const name of ["folder", "file", "nested"]) rmSync(join(plain.root, name), { recursive: true });
    plain.write("folder", "a file now\n");
    plain.write("file/x", "in a folder now\n");
    Plain.init(join(plain.root, "nested")).commit("nested", { x: "x\n" });
    const wire = await openGit([plain.root]);
    const changed = ["file", "file/x", "folder", "folder/x", "nested"];
    expect(await resultOf(wire, "git_add", { files: ["."] })).toMatchObject({ changed });
    expect(plain.git("ls-files")).toBe("file/x\nfolder");
  });

  it("says which name git does not take, and leaves the others out with it", async () => {
    const plain = Plain.init();
    plain.write("a.txt", "a\n");
    // Windows may take it for .git.
    plain.write("git~1/x", "x\n");
    const wire = await openGit([plain.root]);
    const refused = await failureOf(wire, "git_add", { files: ["."] });
    expect(refused).toMatchObject({ code: "invalid_input" });
    expect(refused.text).toContain('"git~1/x"');
    expect(plain.git("ls-files")).toBe("");
  });

  it("keeps the letters of a folder where capitals make no difference", async () => {
    const plain = Plain.init();
    plain.commit("first", { "Folder/a": "a\n" });
    plain.git("config", "core.ignoreCase", "true");
    plain.write("folder/b", "b\n");
    const wire = await openGit([plain.root]);
    await resultOf(wire, "git_add", { files: ["."] });
    expect(plain.git("ls-files")).toBe("Folder/a\nFolder/b");
  });
});
