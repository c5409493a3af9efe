import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import Database from "better-sqlite3";
import { expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { describeWith } from "../support/programs.ts";
import { FILESYSTEM, GIT, SQLITE } from "../support/servers.ts";
import { openServer, openView, takePicture } from "./page.ts";

const TEAS: readonly (readonly [string, number])[] = [
  ["Assam", 31],
  ["Darjeeling", 54],
  ["Keemun", 12],
  ["Matcha", 23],
  ["Oolong", 47],
  ["Rooibos", 8],
  ["Sencha", 38],
];

describeWith(["chromium"], "what was read", () => {
  it("of a database is sorted, filtered, drawn, continued and saved", async () => {
    const file = join(createPlace(), "tea.db");
    const database = new Database(file);
    database.exec("create table tea(id integer primary key, name text, cups int)");
    for (const tea of TEAS) database.prepare("insert into tea(name, cups) values (?, ?)").run(...tea);
    database.close();
    const wire = await openServer([...SQLITE, file]);
    const query = "SELECT name, cups FROM tea ORDER BY name";
    const view = await openView(wire, "read_query", { query, limit: 6 }, { theme: "dark" });
    const { frame, heard, complaints } = view;
    await frame.getByRole("heading", { name: "Query result" }).waitFor();
    expect(await frame.locator("svg rect").count()).toBe(6);
    await frame.getByRole("button", { name: "Load more" }).click();
    await expect.poll(() => frame.locator("svg rect").count()).toBe(7);
    await takePicture(view, "query");
    const firstCell = (): Promise<string> => frame.locator("tbody td").first().innerText();
    await frame.getByRole("button", { name: "cups" }).click();
    await expect.poll(firstCell).toBe("Rooibos");
    await frame.getByRole("button", { name: "cups" }).click();
    await expect.poll(firstCell).toBe("Darjeeling");
    await frame.getByRole("searchbox").fill("ma");
    await expect.poll(() => frame.locator("tbody tr").count()).toBe(1);
    await frame.getByLabel("Chart").selectOption("lines");
    await frame.getByRole("button", { name: "Save as SVG" }).click();
    await frame.getByRole("button", { name: "Save as CSV" }).click();
    await expect.poll(() => heard.filter(({ method }) => method === "download").length).toBe(2);
    const saved = JSON.stringify(heard);
    expect(saved).toContain(String.raw`"text":"name,cups\r\nMatcha,23\r\n"`);
    expect(saved).toContain('<svg xmlns=\\"http://www.w3.org/2000/svg\\"');
    expect(complaints).toEqual([]);
  });

  it("of a directory shows what takes the space, and opens downwards", async () => {
    const place = createPlace();
    const sizes = {
      "photos/2024/summer.jpg": 340_000,
      "photos/2025/autumn.jpg": 220_000,
      "music/song.mp3": 180_000,
      "letters/one.txt": 4000,
      "notes.txt": 60_000,
    };
    for (const [path, size] of Object.entries(sizes)) {
      mkdirSync(join(place, path, ".."), { recursive: true });
      writeFileSync(join(place, path), Buffer.alloc(size));
    }
    const wire = await openServer([...FILESYSTEM, place]);
    const view = await openView(wire, "list_directory_with_sizes", {});
    const { frame, complaints } = view;
    await frame.getByRole("heading", { name: "Where the space went" }).waitFor();
    await takePicture(view, "sizes");
    await frame.getByRole("button", { name: /^Open photos, 560 kB/ }).click();
    await frame.getByRole("button", { name: /^Open 2024, 340 kB/ }).click();
    await frame.getByText("summer.jpg").waitFor();
    await frame.getByRole("button", { name: "photos" }).click();
    await frame.getByText("2025").waitFor();
    await takePicture(view, "sizes-below");
    expect(complaints).toEqual([]);
  });

  it("of a history is drawn as a graph, opened and continued", async () => {
    const place = createPlace();
    let minute = 0;
    const git = (...args: string[]): void => {
      const date = `2026-03-01T10:${String(minute++).padStart(2, "0")}:00Z`;
      const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
      execFileSync("git", ["-C", place, "-c", "user.name=Ann", "-c", "user.email=a@example.com", ...args], {
        env,
      });
    };
    const commit = (name: string, message: string): void => {
      writeFileSync(join(place, name), `${message}\n`);
      git("add", ".");
      git("commit", "-qm", message);
    };
    git("init", "-q", "-b", "main");
    commit("tea.md", "Boil the water");
    git("checkout", "-qb", "milk");
    commit("milk.md", "Warm the milk");
    git("checkout", "-q", "main");
    commit("tea.md", "Wait four minutes");
    git("checkout", "-q", "milk");
    commit("milk.md", "Froth it");
    git("checkout", "-q", "main");
    git("merge", "-q", "--no-ff", "-m", "Bring the milk", "milk");
    commit("tea.md", "Drink");
    const wire = await openServer([...GIT, place]);
    const view = await openView(wire, "git_log", { max_count: 5 }, { theme: "dark" });
    const { frame, complaints } = view;
    await frame.getByRole("button", { name: "Show older" }).click();
    await frame.getByRole("button", { name: /^Boil the water/ }).waitFor();
    // Two lines leave the merge, and where the branch began the two become one.
    const lines = (at: number): Promise<number> =>
      frame.locator(".lines").nth(at).locator("svg:first-child path").count();
    await expect.poll(() => Promise.all([0, 1, 4, 5].map(lines))).toEqual([1, 3, 4, 1]);
    await frame.getByRole("button", { name: /^Froth it/ }).click();
    await frame.getByRole("cell", { name: "Froth it" }).waitFor();
    await takePicture(view, "commits");
    expect(complaints).toEqual([]);
  });
});
