import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { callTool, isGood, textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { errorOf } from "../support/calls.ts";
import { openFiles } from "./program.ts";
import { createProject } from "./project.ts";

describe("what operators decide", () => {
  it("--links refuse: no link is followed, and every link can be removed", async () => {
    const folder = createProject();
    const wire = await openFiles(["--links", "refuse", folder]);
    const refused = await callTool(wire, "read_text_file", { path: "link.md" });
    expect(errorOf(refused)).toMatchObject({ code: "permission_denied" });
    expect(textOf(refused)).toMatch(/links are not followed here/);
    const written = await callTool(wire, "write_file", { path: "link.md", content: "" });
    expect(errorOf(written)).toMatchObject({ code: "permission_denied" });
    const removed = await callTool(wire, "delete_file", { path: "link.md" });
    expect(removed.result).toMatchObject({ structuredContent: { kind: "link" } });
    expect(readFileSync(join(folder, "README.md"), "utf8")).toBe("# Project\n\nSay hello.\n");
  });

  it("--allow-git-writes: files of a repository's own can be written", async () => {
    const folder = createProject();
    const wire = await openFiles(["--allow-git-writes", folder]);
    const args = { path: ".git/info/exclude", content: "*.log\n" };
    expect(isGood(await callTool(wire, "write_file", args))).toBe(true);
    expect(readFileSync(join(folder, ".git/info/exclude"), "utf8")).toBe("*.log\n");
    // What the server keeps stays its own all the same.
    const own = await callTool(wire, "delete_file", { path: ".suite-trash", recursive: true });
    expect(errorOf(own)).toMatchObject({ code: "permission_denied" });
  });

  it("--no-undo: nothing is kept, and nothing can be taken back", async () => {
    const folder = createProject();
    const wire = await openFiles(["--no-undo", folder]);
    const { result } = await callTool(wire, "delete_file", { path: "README.md" });
    expect(result).toMatchObject({
      structuredContent: { permanent: true, changed: [join(folder, "README.md")] },
    });
    expect(result?.["structuredContent"]).not.toHaveProperty("undo");
    await callTool(wire, "write_file", { path: "run.sh", content: "" });
    expect(textOf(await callTool(wire, "undo"))).toBe("There are no changes to undo.");
    const trash = join(folder, ".suite-trash");
    expect(existsSync(trash) ? readdirSync(trash).filter((name) => name !== ".gitignore") : []).toEqual([]);
  });

  it("several directories: relative paths start where there is something, else in the first", async () => {
    const [first, second] = [createProject(), createProject()];
    const wire = await openFiles([first, second]);
    await callTool(wire, "write_file", { path: join(second, "only.txt"), content: "second\n" });
    const found = await callTool(wire, "read_text_file", { path: "only.txt" });
    expect(found.result).toMatchObject({ structuredContent: { path: join(second, "only.txt") } });
    const both = await callTool(wire, "read_text_file", { path: "README.md" });
    expect(both.result).toMatchObject({ structuredContent: { path: join(first, "README.md") } });
    const moved = await callTool(wire, "move_file", {
      source: join(second, "only.txt"),
      destination: join(first, "only.txt"),
    });
    expect(moved.result).toMatchObject({
      structuredContent: { changed: [join(second, "only.txt"), join(first, "only.txt")] },
    });
    expect(textOf(await callTool(wire, "undo", { id: "last" }))).toMatch(/taken back/);
    expect(readFileSync(join(second, "only.txt"), "utf8")).toBe("second\n");
  });
});
