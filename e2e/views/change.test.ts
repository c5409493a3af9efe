import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import Database from "better-sqlite3";
import { expect, it } from "vitest";

import { TOKEN } from "../github/program.ts";
import { useScriptedApi } from "../github/use-scripted-api.ts";
import { createPlace } from "../support/place.ts";
import { describeWith } from "../support/programs.ts";
import { FILESYSTEM, GIT, GITHUB, SQLITE } from "../support/servers.ts";
import { openServer, openView, takePicture } from "./page.ts";

const BEFORE = ["# Tea", "", "Boil the water.", "Wait four minutes.", "Drink.", ""].join("\n");

const api = await useScriptedApi();

describeWith(["chromium"], "a change before it is made", () => {
  it("is shown, applied and undone", async () => {
    const place = createPlace();
    const file = join(place, "tea.md");
    writeFileSync(file, BEFORE);
    const wire = await openServer([...FILESYSTEM, place]);
    const edits = [{ oldText: "Wait four minutes.", newText: "Wait three minutes.\nTake the leaves out." }];
    const view = await openView(wire, "edit_file", { path: "tea.md", edits, dry_run: true });
    const { frame, heard, complaints } = view;
    await frame.getByRole("heading", { name: "Edit a text file" }).waitFor();
    await frame.getByText("Not done yet").waitFor();
    await frame.getByText("Take the leaves out.").waitFor();
    await takePicture(view, "change-proposed");
    await frame.getByRole("button", { name: "Side by side" }).click();
    await takePicture(view, "change-split");
    await frame.getByRole("button", { name: "Apply" }).click();
    await frame.getByText("Applied.").waitFor();
    expect(readFileSync(file, "utf8")).toContain("Take the leaves out.");
    expect(heard.at(-1)).toMatchObject({ method: "context" });
    await takePicture(view, "change-done");
    await frame.getByRole("button", { name: "Undo" }).click();
    await frame.getByText("Undone.", { exact: true }).waitFor();
    expect(readFileSync(file, "utf8")).toBe(BEFORE);
    expect(complaints).toEqual([]);
  });

  it("is not made when something has changed since it was shown", async () => {
    const place = createPlace();
    const file = join(place, "tea.md");
    writeFileSync(file, BEFORE);
    const wire = await openServer([...FILESYSTEM, place]);
    const edits = [{ oldText: "Drink.", newText: "Enjoy." }];
    const { frame, heard } = await openView(wire, "edit_file", { path: file, edits, dryRun: true });
    const apply = frame.getByRole("button", { name: "Apply" });
    await apply.waitFor();
    writeFileSync(file, `${BEFORE}Wash up.\n`);
    await apply.click();
    await frame.getByText("Something has changed since you saw this.").waitFor();
    expect(readFileSync(file, "utf8")).toBe(`${BEFORE}Wash up.\n`);
    await apply.click();
    await frame.getByText("Applied.").waitFor();
    expect(readFileSync(file, "utf8")).toContain("Enjoy.\nWash up.\n");
    const calls = heard.filter(({ method }) => method === "call").map(({ params }) => params["arguments"]);
    // Should another change come between the look and the call, the tool itself refuses.
    expect(calls.at(-1)).toEqual({ path: file, edits, if_match: expect.any(String) as string });
  });

  it("is made once, however often Apply is pressed", async () => {
    const place = createPlace();
    const wire = await openServer([...FILESYSTEM, place]);
    const change = { path: "a.txt", content: "Tea\n" };
    const { frame, heard } = await openView(wire, "append_file", { ...change, dry_run: true });
    await frame.getByRole("button", { name: "Apply" }).click({ clickCount: 3 });
    await frame.getByText("Applied.").waitFor();
    await frame.getByRole("button", { name: "Undo" }).waitFor();
    expect(readFileSync(join(place, "a.txt"), "utf8")).toBe("Tea\n");
    expect(heard.filter(({ method }) => method === "call")).toHaveLength(2);
  });

  it("can be cancelled, and the model is told", async () => {
    const place = createPlace();
    const wire = await openServer([...FILESYSTEM, place]);
    const { frame, heard } = await openView(wire, "create_directory", { path: "new", dry_run: true });
    await frame.getByRole("button", { name: "Cancel" }).click();
    await frame.getByText("Nothing was changed.").waitFor();
    await expect.poll(() => heard.map(({ method }) => method)).toEqual(["context"]);
    expect(existsSync(join(place, "new"))).toBe(false);
  });

  it.each([{ serverTools: false }, { toolInfo: false }])(
    "cannot be made from a host with %j",
    async (options) => {
      const place = createPlace();
      const wire = await openServer([...FILESYSTEM, place]);
      const { frame } = await openView(wire, "create_directory", { path: "new", dry_run: true }, options);
      await frame.getByText("ask the assistant").waitFor();
      expect(await frame.getByRole("button", { name: "Apply" }).count()).toBe(0);
    },
  );

  it("shows rows before and after", async () => {
    const place = createPlace();
    const db = join(place, "a.db");
    const database = new Database(db);
    database.exec("create table tea(id integer primary key, name text, price real)");
    database.exec("insert into tea values (1,'Assam',4.5),(2,'Sencha',6),(3,'Rooibos',3.25)");
    database.close();
    const wire = await openServer([...SQLITE, db]);
    const view = await openView(
      wire,
      "write_query",
      { query: "UPDATE tea SET price = price * 1.1 WHERE price > 4", dry_run: true },
      { theme: "dark" },
    );
    await view.frame.getByText("Not done yet").waitFor();
    await takePicture(view, "change-rows");
    await view.frame.getByRole("button", { name: "Apply" }).click();
    await view.frame.getByText("Applied.").waitFor();
    const call = view.heard.findLast(({ method }) => method === "call");
    expect(call?.params["arguments"]).toMatchObject({ expected_rows: 2 });
    expect(view.complaints).toEqual([]);
  });

  it("shows what a file would add, and what stays text", async () => {
    const place = createPlace();
    writeFileSync(join(place, "tea.csv"), "name,price\nAssam,4.5\nSencha,six\n");
    const args = ["--create", join(place, "a.db"), "--allow-ddl", "--exchange", place];
    const wire = await openServer([...SQLITE, ...args]);
    const input = { path: "tea.csv", table: "tea", create: true, dry_run: true };
    const { frame, complaints } = await openView(wire, "import_data", input);
    await frame.getByRole("row", { name: "Sencha six" }).waitFor();
    await frame.getByRole("button", { name: "Apply" }).click();
    await frame.getByText("Applied.").waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows each statement of a batch with its rows", async () => {
    const wire = await openServer([...SQLITE, "--create", join(createPlace(), "a.db"), "--allow-ddl"]);
    const statements = [
      { query: "CREATE TABLE tea(id integer primary key, name text)" },
      { query: "INSERT INTO tea(name) VALUES (?)", params: ["Assam"] },
      { query: "UPDATE tea SET name = 'Sencha'" },
    ];
    const { frame, complaints } = await openView(wire, "execute_batch", { statements, dry_run: true });
    await frame.getByRole("heading", { name: "INSERT" }).waitFor();
    await frame.getByRole("row", { name: "1 Assam" }).waitFor();
    await frame.getByRole("row", { name: "1 Sencha" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows what would be appended, where there is no diff", async () => {
    const wire = await openServer([...FILESYSTEM, createPlace()]);
    const input = { path: "a.md", content: "Tea\n", dry_run: true };
    const { frame, complaints } = await openView(wire, "append_file", input);
    await frame.getByRole("definition").filter({ hasText: "Tea" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows what a commit would have", async () => {
    const place = createPlace();
    const git = (...args: string[]): void => void execFileSync("git", ["-C", place, ...args]);
    git("init", "-q", "-b", "main");
    git("config", "user.name", "A");
    git("config", "user.email", "a@example.com");
    mkdirSync(join(place, "docs"));
    writeFileSync(join(place, "tea.md"), BEFORE);
    writeFileSync(join(place, "docs", "more.md"), "More\n");
    const wire = await openServer([...GIT, place]);
    const view = await openView(wire, "git_commit", {
      message: "Say how tea is made\n\nWith all steps.",
      files: ["."],
      dry_run: true,
    });
    await view.frame.getByText("Not done yet").waitFor();
    await takePicture(view, "change-commit");
    expect(view.complaints).toEqual([]);
    await view.frame.getByRole("button", { name: "Apply" }).click();
    await view.frame.getByText("Applied.").waitFor();
    expect(execFileSync("git", ["-C", place, "log", "--format=%s"], { encoding: "utf8" })).toBe(
      "Say how tea is made\n",
    );
  });

  it("shows what would be sent to GitHub, and sends what was seen", async () => {
    const issue = (...labels: string[]) => ({
      body: { number: 1, title: "Tea", labels: labels.map((name) => ({ name })) },
    });
    const path = "/repos/octo/app/issues/1";
    api.script = { [`GET ${path}`]: issue("green"), [`PATCH ${path}`]: issue("black") };
    const wire = await openServer([...GITHUB, "--api-url", api.url], { GITHUB_TOKEN: TOKEN });
    const change = { owner: "octo", repo: "app", method: "update", issue_number: 1, labels: ["black"] };
    const view = await openView(wire, "issue_write", { ...change, dry_run: true });
    const { frame, complaints } = view;
    const apply = frame.getByRole("button", { name: "Apply" });
    await apply.waitFor();
    await takePicture(view, "change-request");
    api.script = { ...api.script, [`GET ${path}`]: issue("green", "hot") };
    await apply.click();
    await frame.getByText("Something has changed since you saw this.").waitFor();
    expect(api.lines()).not.toContain(`PATCH ${path}`);
    await frame.getByRole("cell", { name: "hot" }).waitFor();
    await frame.getByText("labels before → labels after").waitFor();
    await apply.click();
    await frame.getByText("Applied.").waitFor();
    const sent = api.asked
      .filter(({ method }) => method === "PATCH")
      .map(({ body }) => JSON.parse(body) as unknown);
    expect(sent).toEqual([{ labels: ["black"] }]);
    expect(complaints).toEqual([]);
  });
});
