import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import Database from "better-sqlite3";
import { expect, it } from "vitest";

import { reaching } from "../fetch/program.ts";
import { openSite } from "../fetch/site.ts";
import { Plain } from "../git/program.ts";
import { TOKEN } from "../github/program.ts";
import type { Script } from "../github/scripted-api.ts";
import { useScriptedApi } from "../github/use-scripted-api.ts";
import { createPlace } from "../support/place.ts";
import { describeWith } from "../support/programs.ts";
import { FETCH, FILESYSTEM, GIT, GITHUB, SQLITE } from "../support/servers.ts";
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

const DIFF = [
  "diff --git a/tea.md b/tea.md",
  "--- a/tea.md",
  "+++ b/tea.md",
  "@@ -2,3 +2,3 @@",
  " Boil the water.",
  "-Wait.",
  "+Wait four minutes.",
  " Drink.",
  "",
].join("\n");
const PULL = "GET /repos/octo/app/pulls/3";
const SCRIPT: Script = {
  [PULL]: ({ headers }) => ({
    body: headers.accept?.includes("diff")
      ? DIFF
      : {
          title: "Say how long to wait",
          body: "Tea without a time is a matter of luck.",
          state: "open",
          user: { login: "ann" },
          head: { ref: "tea", sha: "abc" },
          base: { ref: "main" },
          html_url: "https://github.com/octo/app/pull/3",
        },
  }),
  [`${PULL}/files`]: {
    body: [
      { filename: "tea.md", status: "modified", additions: 1, deletions: 1 },
      { filename: "cups.md", status: "added", additions: 2, deletions: 0 },
    ],
  },
  "GET /repos/octo/app/commits/abc/check-runs": {
    body: {
      total_count: 2,
      check_runs: [
        { name: "build", status: "completed", conclusion: "success" },
        { name: "test", status: "completed", conclusion: "failure", output: { title: "One test failed" } },
      ],
    },
  },
  "GET /repos/octo/app/issues/3/comments": ({ path }) => {
    const page = Number(new URL(path, "http://x").searchParams.get("page"));
    const numbers = page === 1 ? Array.from({ length: 30 }, (_, at) => at + 1) : [31];
    const headers = { link: '<https://api.github.com/x?page=2>; rel="next"' };
    return {
      body: numbers.map((id) => ({ id, user: { login: "bea" }, body: `Comment ${id}` })),
      ...(page === 1 && { headers }),
    };
  },
  "POST /graphql": {
    body: {
      data: {
        repository: {
          pullRequest: {
            reviewThreads: {
              pageInfo: { hasNextPage: false, endCursor: null },
              nodes: [
                {
                  id: "T1",
                  path: "tea.md",
                  line: 4,
                  isResolved: false,
                  isOutdated: false,
                  comments: {
                    totalCount: 2,
                    pageInfo: { hasNextPage: false, endCursor: null },
                    nodes: [
                      { databaseId: 1, author: { login: "bea" }, body: "Is four not too long?" },
                      { databaseId: 2, author: { login: "ann" }, body: "Three would do." },
                    ],
                  },
                },
              ],
            },
          },
        },
      },
    },
  },
};
const api = await useScriptedApi();

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
    const sort = frame.getByRole("columnheader", { name: "cups" });
    expect(await sort.getAttribute("aria-sort")).toBe("descending");
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

  it("of a database is saved without formulas, also where JSON wraps them", async () => {
    const wire = await openServer([...SQLITE, "--create", join(createPlace(), "a.db")]);
    // A hidden character makes an object of the text.
    const query = "SELECT '=SUM(1)' AS plain, '=SUM(2)' || char(8203) AS wrapped, -1 AS amount";
    const { frame, heard } = await openView(wire, "read_query", { query });
    await frame.getByRole("button", { name: "Save as CSV" }).click();
    await expect
      .poll(() => JSON.stringify(heard))
      .toContain(String.raw`plain,wrapped,amount\r\n'=SUM(1),'=SUM(2)\\u{200B},-1\r\n`);
  });

  it("of a database, however much it is, is drawn in parts", async () => {
    const wire = await openServer([...SQLITE, "--create", join(createPlace(), "a.db")]);
    const query =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000) SELECT i, i * i AS square FROM n";
    const { frame, page } = await openView(wire, "read_query", { query, limit: 9000, max_bytes: 1_000_000 });
    await frame.getByRole("button", { name: "Show 200 more of 8,800" }).click();
    await frame.getByRole("button", { name: "Show 200 more of 8,600" }).waitFor();
    expect(await page.frames()[1]?.evaluate("document.querySelectorAll('*').length")).toBeLessThan(8000);
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
    const { frame, heard, complaints } = view;
    await frame.getByRole("heading", { name: "Where the space went" }).waitFor();
    await takePicture(view, "sizes");
    await frame.getByRole("button", { name: /^Open photos, 560 kB/ }).click();
    await frame.getByRole("button", { name: /^Open 2024, 340 kB/ }).click();
    await frame.getByText("summer.jpg").waitFor();
    await frame.getByRole("button", { name: "photos" }).click();
    await frame.getByText("2025").waitFor();
    await takePicture(view, "sizes-below");
    await frame.getByRole("button", { name: "Enlarge" }).click();
    await frame.getByRole("button", { name: "Smaller" }).waitFor();
    expect(heard.at(-1)).toEqual({ method: "mode", params: "fullscreen" });
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
    await frame.getByRole("button", { name: /^Froth it/, expanded: true }).waitFor();
    await takePicture(view, "commits");
    expect(complaints).toEqual([]);
  });

  it("of a history keeps the focus while its lines come", async () => {
    const plain = Plain.init();
    plain.commit("Boil the water", { "tea.md": "Boil.\n" });
    plain.commit("Wait", { "tea.md": "Boil. Wait.\n" });
    let goOn = (): void => undefined;
    const slowly = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { frame, page, heard } = await openView(
      await openServer([...GIT, plain.root]),
      "git_log",
      {},
      { slowly },
    );
    await expect.poll(() => heard.length).toBe(1);
    await frame.getByRole("button", { name: "Enlarge" }).focus();
    await page.keyboard.press("Tab");
    goOn();
    await expect.poll(() => frame.locator(".lines svg:first-child path").count()).toBe(2);
    expect(await frame.locator(":focus").innerText()).toMatch(/^Wait/);
  });

  it("of a pull request are its description, files, differences, checks and threads", async () => {
    api.script = SCRIPT;
    const wire = await openServer([...GITHUB, "--api-url", api.url], { GITHUB_TOKEN: TOKEN });
    const asked = { owner: "octo", repo: "app", pull_number: 3 };
    const view = await openView(wire, "pull_request_read", asked);
    const { frame, heard, complaints } = view;
    const open = (name: string): Promise<void> => frame.getByRole("button", { name, exact: true }).click();
    await frame.getByRole("heading", { name: "Say how long to wait" }).waitFor();
    await frame.getByText("octo/app#3, open: ann wants tea in main.").waitFor();
    await takePicture(view, "pull-request");
    await open("Files");
    await frame.getByText("2 files: 1 modified, 1 added.").waitFor();
    await frame.getByRole("button", { name: "Show changes" }).first().click();
    await frame.getByRole("cell", { name: "Wait four minutes." }).waitFor();
    await takePicture(view, "pull-request-files");
    await open("Checks");
    await frame.getByText("2 checks: 1 success, 1 failure.").waitFor();
    await takePicture(view, "pull-request-checks");
    await open("Threads");
    await frame.getByRole("heading", { name: "tea.md:4" }).waitFor();
    expect(await frame.getByRole("listitem").count()).toBe(1);
    await frame.getByText("Three would do.").waitFor();
    await takePicture(view, "pull-request-threads");
    await open("Comments");
    await frame.getByRole("button", { name: "Load more" }).click();
    await frame.getByText("Comment 31").waitFor();
    expect(await frame.getByRole("button", { name: "Load more" }).count()).toBe(0);
    await open("Open on GitHub");
    await expect
      .poll(() => heard.at(-1))
      .toEqual({ method: "link", params: { url: "https://github.com/octo/app/pull/3" } });
    expect(complaints).toEqual([]);
  });

  it("of a page is its text, its outline, and where its links lead", async () => {
    const site = await openSite();
    const wire = await openServer([...FETCH, ...reaching(site)]);
    const view = await openView(
      wire,
      "fetch",
      { url: `${site.origin}/manual`, max_length: 2000 },
      { theme: "dark" },
    );
    const { frame, heard, complaints } = view;
    await frame.getByRole("heading", { name: "The Manual" }).waitFor();
    await frame.getByRole("button", { name: "Load more" }).click();
    await expect.poll(async () => (await frame.locator("pre").innerText()).length).toBeGreaterThan(3000);
    await takePicture(view, "page");
    await frame.getByRole("button", { name: "Outline" }).click();
    await frame.getByRole("button", { name: "Speed" }).click();
    await frame.getByText("The needle goes faster.").waitFor();
    expect(await frame.getByText("npm install thing").count()).toBe(0);
    await takePicture(view, "page-outline");
    await frame.getByRole("button", { name: "Links" }).click();
    const rows = frame.getByRole("row");
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^Broken 404\s+gone/) as string,
        expect.stringMatching(/^Not allowed .*\s+inside/) as string,
        expect.stringMatching(/^Works 200\s+News/) as string,
        expect.stringMatching(/^Works 200\s+data/) as string,
      ]);
    await takePicture(view, "page-links");
    await rows.nth(0).getByRole("button").click();
    await expect.poll(() => heard.at(-1)).toEqual({ method: "link", params: { url: `${site.origin}/gone` } });
    expect(complaints).toEqual([]);
  });
});
