import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { callTool, isGood } from "@suite/check/wires";
import Database from "better-sqlite3";
import { expect, it } from "vitest";

import { Plain } from "../git/program.ts";
import { undoAfterTest } from "../support/afterwards.ts";
import { createPlace } from "../support/place.ts";
import { describeWith } from "../support/programs.ts";
import { FILESYSTEM, GIT, SQLITE } from "../support/servers.ts";
import type { Wire } from "../support/wire.ts";
import { openServer, openView, takePicture } from "./page.ts";

/** A file with a line that is not committed. */
async function openMess(): Promise<{ readonly root: string; readonly wire: Wire }> {
  const plain = Plain.init();
  plain.commit("begin", { "tea.md": "Boil.\n" });
  plain.write("tea.md", "Boil.\nDrink.\n");
  return { root: plain.root, wire: await openServer([...GIT, plain.root]) };
}

describeWith(["chromium"], "the history", () => {
  it("lists what was changed, takes one back, and says why another cannot be", async () => {
    const place = createPlace();
    const wire = await openServer([...FILESYSTEM, place]);
    const write = async (path: string, content: string): Promise<void> => {
      expect(isGood(await callTool(wire, "write_file", { path, content }))).toBe(true);
    };
    await write("tea.md", "Boil the water.\n");
    await write("cups.md", "Two cups.\n");
    await write("tea.md", "Boil the water. Wait.\n");
    const view = await openView(wire, "undo", {}, { theme: "dark" });
    const { frame, complaints } = view;
    await frame.getByRole("heading", { name: "What was changed" }).waitFor();
    expect(
      await frame
        .getByRole("listitem")
        .filter({ has: frame.getByRole("heading") })
        .count(),
    ).toBe(3);
    await frame.getByRole("button", { name: "Undo …" }).nth(1).click();
    await frame.getByText("Not done yet").waitFor();
    await frame.getByRole("row", { name: "1 − Two cups." }).waitFor();
    await takePicture(view, "history");
    await frame.getByRole("button", { name: "Apply" }).click();
    await frame.getByText("Applied.").waitFor();
    expect(existsSync(join(place, "cups.md"))).toBe(false);
    writeFileSync(join(place, "tea.md"), "Somebody else's.\n");
    await frame.getByRole("button", { name: "Undo …" }).nth(0).click();
    await frame.getByRole("alert").waitFor();
    await takePicture(view, "history-conflict");
    expect(await frame.getByRole("alert").innerText()).toContain("tea.md");
    expect(readFileSync(join(place, "tea.md"), "utf8")).toBe("Somebody else's.\n");
    await frame.getByRole("button", { name: "Refresh" }).click();
    await frame.getByRole("heading", { name: /^undo: / }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("of a database takes rows back", async () => {
    const file = join(createPlace(), "tea.db");
    const database = new Database(file);
    undoAfterTest(() => database.close());
    database.exec("create table tea(id integer primary key, name text)");
    const wire = await openServer([...SQLITE, file]);
    for (const name of ["Assam", "Sencha"])
      await callTool(wire, "write_query", { query: "INSERT INTO tea(name) VALUES (?)", params: [name] });
    const view = await openView(wire, "undo", {});
    const { frame, complaints } = view;
    await frame.getByRole("button", { name: "Undo …" }).nth(0).click();
    await frame.getByText("Not done yet").waitFor();
    await frame.getByRole("columnheader", { name: "name before" }).waitFor();
    await frame.getByRole("row", { name: "2 Sencha" }).waitFor();
    await takePicture(view, "history-rows");
    await frame.getByRole("button", { name: "Apply" }).click();
    await frame.getByText("Applied.").waitFor();
    expect(database.prepare("select name from tea").pluck().all()).toEqual(["Assam"]);
    expect(complaints).toEqual([]);
  });

  it("of a repository brings back what a file had", async () => {
    const { root, wire } = await openMess();
    await callTool(wire, "git_restore", { files: ["tea.md"] });
    const { frame, complaints } = await openView(wire, "git_undo", {});
    await frame.getByRole("button", { name: "Undo …" }).click();
    await frame.getByRole("row", { name: "2 + Drink." }).waitFor();
    await frame.getByRole("button", { name: "Apply" }).click();
    await frame.getByText("Applied.").waitFor();
    expect(readFileSync(join(root, "tea.md"), "utf8")).toBe("Boil.\nDrink.\n");
    expect(complaints).toEqual([]);
  });
});
