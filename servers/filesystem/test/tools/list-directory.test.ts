import { writeFileSync } from "node:fs";
import { dirname } from "node:path";

import { describe, expect, it } from "vitest";

import { listDirectory } from "../../src/tools/list-directory.ts";
import { createProject, IGNORED } from "./project.ts";

const { root, project, write, shown, fence } = await createProject(listDirectory);

describe("list_directory", () => {
  it("names each entry with its kind", async () => {
    expect(await shown({ path: "project" })).toBe(
      `"${project}": 5 entries\n${fence("[FILE] .gitignore", "[FILE] README.md", "[FILE] image", "[LINK] link", "[DIR] src")}\n` +
        IGNORED,
    );
    expect(await shown({ path: "empty" })).toBe(`"${root}/empty": 0 entries`);
  });

  it("says how a cut list goes on", async () => {
    const text = await shown({ path: "project", limit: 1 });
    const [, cursor] = /Truncated. Continue with cursor: "([\w.~-]+)".$/.exec(text) ?? [];
    expect(await shown({ path: "project", limit: 1, cursor })).toContain("\n[FILE] README.md\n");
  });

  it("lets no name pretend to be two lines, or hide what it says", async () => {
    write("hostile/a\n[DIR] forged", "");
    write("hostile/b\u202Etxt.exe", "");
    const text = await shown({ path: "hostile" });
    expect(text).toContain("\n[FILE] a\\u{A}[DIR] forged\n[FILE] b\\u{202E}txt.exe\n");
  });

  it("tells of names that are not valid UTF-8", async () => {
    const directory = dirname(write("bytes/file", ""));
    writeFileSync(Buffer.concat([Buffer.from(`${directory}/`), Buffer.from([0xff])]), "");
    expect(await shown({ path: "bytes" })).toBe(
      [
        `"${directory}": 2 entries`,
        "<fence>",
        "[FILE] \\xFF",
        "[FILE] file",
        "</fence>",
        "Could not be read in full (1):",
        "<fence>",
        "\\xFF: its name is not valid UTF-8",
        "</fence>",
      ].join("\n"),
    );
  });
});
