import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { callTool, type Fields } from "@suite/check/wires";
import Database from "better-sqlite3";
import { expect, it } from "vitest";

import { reaching } from "../fetch/program.ts";
import { openWeb } from "../fetch/web.ts";
import { TOKEN } from "../github/program.ts";
import { useScriptedApi } from "../github/use-scripted-api.ts";
import { createPlace } from "../support/place.ts";
import { describeWith } from "../support/programs.ts";
import { FETCH, FILESYSTEM, GIT, GITHUB, SQLITE } from "../support/servers.ts";
import { openServer, openView, takePicture } from "./page.ts";

/** Each would run, load or break out where text is taken for markup. */
const TEXTS: readonly string[] = [
  "<script>document.title='ran'</script>",
  "<img src=x onerror=\"document.title='ran'\">",
  "</script><script>document.title='ran'</script>",
  "<svg onload=\"document.title='ran'\"><a href=\"javascript:document.title='ran'\">x</a></svg>",
  "<link rel=stylesheet href=http://evil.example/a.css><iframe src=http://evil.example></iframe>",
  "<style>@import url(http://evil.example/b.css); body { background: url(http://evil.example/c.png) }</style>",
  "javascript:document.title='ran'",
  "{{constructor.constructor('document.title=1')()}}",
  "safe\u202Egnp.exe\u202C \u2066hidden\u2069",
  "-- a/x\n+++ b/y\n@@ -1 +1 @@\n",
  `long ${"a".repeat(5000)}`,
];
const ALL = TEXTS.join("\n");
/** Without characters that no file name has. */
const NAME = "<img src=x onerror=document.title='ran'>\u202Egnp.txt";

const api = await useScriptedApi();
const PULL = "GET /repos/octo/app/pulls/3";

const CASES: readonly (readonly [
  view: string,
  start: (place: string) => Promise<Parameters<typeof openView>>,
])[] = [
  [
    "change",
    async (place) => {
      writeFileSync(join(place, NAME), "before\n");
      const wire = await openServer([...FILESYSTEM, place]);
      return [wire, "write_file", { path: NAME, content: ALL, dry_run: true }];
    },
  ],
  [
    "history",
    async (place) => {
      const wire = await openServer([...FILESYSTEM, place]);
      await callTool(wire, "write_file", { path: NAME, content: ALL });
      return [wire, "undo", {}];
    },
  ],
  [
    "sizes",
    async (place) => {
      writeFileSync(join(place, NAME), ALL);
      return [await openServer([...FILESYSTEM, place]), "list_directory_with_sizes", {}];
    },
  ],
  [
    "query",
    async (place) => {
      const file = join(place, "a.db");
      const database = new Database(file);
      database.exec("create table hostile(label text, amount int)");
      for (const [at, text] of TEXTS.entries())
        database.prepare("insert into hostile values (?, ?)").run(text, at + 1);
      database.close();
      const query = `SELECT label AS "<img src=x onerror=document.title='ran'>", amount FROM hostile`;
      return [await openServer([...SQLITE, file]), "read_query", { query } satisfies Fields];
    },
  ],
  [
    "commits",
    async (place) => {
      const git = (...args: string[]): void =>
        void execFileSync("git", [
          "-C",
          place,
          "-c",
          "user.name=<b>Ann",
          "-c",
          "user.email=a@example.com",
          ...args,
        ]);
      git("init", "-q");
      git("commit", "-qm", TEXTS[1] ?? "", "--allow-empty");
      git("commit", "-qm", ALL, "--allow-empty");
      return [await openServer([...GIT, place]), "git_log", {}];
    },
  ],
  [
    "pull request",
    async () => {
      const texts = {
        title: TEXTS[1],
        body: ALL,
        state: "open",
        user: { login: TEXTS[0] },
        head: { ref: ALL },
      };
      const file = { filename: NAME, status: TEXTS[4], patch: ALL };
      api.script = { [PULL]: { body: texts }, [`${PULL}/files`]: { body: [file] } };
      const wire = await openServer([...GITHUB, "--api-url", api.url], { GITHUB_TOKEN: TOKEN });
      return [wire, "pull_request_read", { owner: "octo", repo: "app", pull_number: 3, method: "get_files" }];
    },
  ],
  [
    "page",
    async () => {
      const escaped = ALL.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
      const html = `<title>${escaped}</title><h1>${escaped}</h1><p>${escaped} ${ALL}`;
      const web = await openWeb({ "/": { body: html } });
      const wire = await openServer([...FETCH, ...reaching(web)]);
      return [wire, "fetch", { url: web.origin }];
    },
  ],
];
/** What the Tab key comes to, from top to bottom. */
const STOPS: { readonly [view: string]: readonly RegExp[] } = {
  change: [/^button "Apply"/, /^button "Cancel"/, /^button "Side by side"/, /^table/],
  history: [/^button "Undo … write_file: created"/, /^button "Refresh"/],
  sizes: [],
  query: [
    /^combobox "Chart"/,
    /^combobox "of"/,
    /^combobox "by"/,
    /^button "Save as SVG"/,
    /^figure/,
    /^searchbox "Show only rows that contain"/,
    /^button "Save as CSV"/,
    /^button "<img /,
    /^button "amount"/,
  ],
  commits: [/^button "<script>.* HEAD -> /, /^button "<img /],
  "pull request": [
    ...[
      "Description",
      "Files",
      "Changes",
      "Checks",
      "Statuses",
      "Threads",
      "Reviews",
      "Comments",
      "Commits",
    ].map((part) => new RegExp(`^button "${part}"`)),
    /^button "Show changes <img /,
  ],
  page: [
    /^button "http:/,
    /^button "Text"/,
    /^button "Outline"/,
    /^button "Links"/,
    /^text: "# /,
    /^button "Load more"/,
  ],
};
/** What leads to more of the texts. */
const MORE: { readonly [view: string]: readonly string[] } = {
  "pull request": ["Description"],
  page: ["Links", "Outline"],
};

describeWith(["chromium"], "text from outside", () => {
  it.each(CASES)("is text in the view %s: nothing runs, nothing is fetched", async (name, start) => {
    const view = await openView(...(await start(createPlace())));
    const { frame, page, complaints } = view;
    await frame.locator("main").getByText("onerror").first().waitFor();
    for (const part of MORE[name] ?? []) {
      await frame.getByRole("button", { name: part, exact: true }).click();
      await frame.locator(`[aria-current=page]`, { hasText: part }).waitFor();
    }
    await takePicture(view, `hostile-${name}`);
    const inside = page.frames()[1] ?? page.mainFrame();
    expect(await inside.title()).not.toMatch(/^(ran|1)$/);
    // All of these would come from the texts: the page has one script and no images of its own.
    expect(
      await inside.evaluate("document.querySelectorAll('img, iframe, link, a, body style').length"),
    ).toBe(0);
    expect(await inside.evaluate("document.scripts.length")).toBe(1);
    expect(complaints).toEqual([]);
  });

  it.each(CASES)(
    "leaves the view %s narrow, and each of its controls named and in order",
    async (name, start) => {
      const [wire, tool, input] = await start(createPlace());
      const { frame, page } = await openView(wire, tool, input, { width: 320 });
      await frame.locator("main").getByText("onerror").first().waitFor();
      await frame.getByRole("button", { name: "Enlarge" }).focus();
      const inside = page.frames()[1] ?? page.mainFrame();
      expect(await inside.evaluate("document.documentElement.scrollWidth")).toBe(320);
      for (const stop of STOPS[name] ?? []) {
        await page.keyboard.press("Tab");
        const named = await frame.locator(":focus").ariaSnapshot();
        expect(named.replace(/^- '?/, "")).toMatch(stop);
      }
      await page.keyboard.press("Tab");
      expect(await frame.locator(":focus").count()).toBe(0);
    },
  );
});
