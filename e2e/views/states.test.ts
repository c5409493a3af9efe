import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { callTool, type Fields } from "@suite/check/wires";
import { expect, it } from "vitest";

import { reaching } from "../fetch/program.ts";
import { openWeb } from "../fetch/web.ts";
import { Plain } from "../git/program.ts";
import { TOKEN } from "../github/program.ts";
import { useScriptedApi } from "../github/use-scripted-api.ts";
import { createPlace } from "../support/place.ts";
import { describeWith } from "../support/programs.ts";
import { FETCH, FILESYSTEM, GIT, GITHUB, SQLITE } from "../support/servers.ts";
import { openServer, openView, takePicture } from "./page.ts";

type Start = (place: string) => Promise<Parameters<typeof openView>>;

const api = await useScriptedApi();

const filesystem =
  (name: string, input: Fields, args: readonly string[] = []): Start =>
  async (place) => [await openServer([...FILESYSTEM, ...args, place]), name, input];

const openPull = async (): Promise<Parameters<typeof openView>> => {
  const pull = "GET /repos/octo/app/pulls/3";
  api.script = { [pull]: { body: { title: "Tea", state: "open" } }, [`${pull}/files`]: { body: [] } };
  const wire = await openServer([...GITHUB, "--api-url", api.url], { GITHUB_TOKEN: TOKEN });
  return [wire, "pull_request_read", { owner: "octo", repo: "app", pull_number: 3, method: "get_files" }];
};

const openCommits = async (): Promise<Parameters<typeof openView>> => {
  const plain = Plain.init();
  plain.commit("begin", { "tea.md": "Boil.\n" });
  return [await openServer([...GIT, plain.root]), "git_log", { grep: "coffee" }];
};

const openNothing = async (): Promise<Parameters<typeof openView>> => {
  const web = await openWeb({ "/": { body: "<title>Tea</title>" } });
  return [await openServer([...FETCH, ...reaching(web)]), "fetch", { url: web.origin }];
};

const openRows: Start = async (place) => {
  const wire = await openServer([...SQLITE, "--create", join(place, "a.db")]);
  return [wire, "read_query", { query: "SELECT 1 AS cups WHERE 0" }];
};

const EMPTY: readonly (readonly [view: string, words: string, start: Start])[] = [
  ["change", "It would change nothing.", filesystem("create_directory", { path: ".", dry_run: true })],
  ["history", "Nothing has been changed", filesystem("undo", {})],
  ["query", "0 rows, 1 column.", openRows],
  ["sizes", "There is nothing in it that takes space.", filesystem("list_directory_with_sizes", {})],
  ["commits", "No commits match", openCommits],
  ["pull request", "0 files.", openPull],
  ["page", "No text of it can be shown.", openNothing],
];

/** What there is too much of, and what leads to the rest. */
const HUGE: readonly (readonly [view: string, button: string, start: Start])[] = [
  [
    "change",
    "Show 400 more of",
    filesystem("write_file", { path: "a.txt", content: "Tea\n".repeat(50_000), dry_run: true }),
  ],
  [
    "history",
    "Show older",
    async (place) => {
      const wire = await openServer([...FILESYSTEM, place]);
      for (let at = 0; at < 30; at++) await callTool(wire, "create_directory", { path: `tea-${at}` });
      return [wire, "undo", {}];
    },
  ],
];

describeWith(["chromium"], "a view", () => {
  it.each(EMPTY)("of nothing says so: %s", async (name, words, start) => {
    const view = await openView(...(await start(createPlace())));
    await view.frame.getByText(words).first().waitFor();
    await takePicture(view, `empty-${name}`);
    expect(await view.frame.getByRole("button", { name: "Apply" }).count()).toBe(0);
    expect(view.complaints).toEqual([]);
  });

  it.each(HUGE)("of too much shows the first of it: %s", async (name, button, start) => {
    const view = await openView(...(await start(createPlace())));
    await view.frame.getByRole("button", { name: button }).waitFor();
    await takePicture(view, `huge-${name}`);
    expect(await view.page.frames()[1]?.evaluate("document.querySelectorAll('*').length")).toBeLessThan(4000);
  });

  it("shows of thousands of files the largest, and the others as one", async () => {
    const place = createPlace();
    for (let at = 0; at < 3000; at++) writeFileSync(join(place, `tea-${at}`), "x".repeat(at));
    const wire = await openServer([...FILESYSTEM, place]);
    const { frame } = await openView(wire, "list_directory_with_sizes", {});
    await frame.getByTitle("tea-2999, 3.0 kB").waitFor();
    await frame.getByText("everything else").waitFor();
    expect(await frame.getByRole("listitem").count()).toBe(61);
  });

  it.each([
    ["It did not work", []],
    ["Result", ["--results", "text"]],
  ])("without data shows the text of the result: %s", async (heading, args) => {
    const path = heading === "Result" ? "tea" : "../tea";
    const start = filesystem("create_directory", { path, dry_run: true }, args);
    const view = await openView(...(await start(createPlace())));
    await view.frame.getByRole("heading", { name: heading }).waitFor();
    await view.frame.locator("pre").getByText("tea").waitFor();
    await takePicture(view, `text-${heading}`);
    expect(view.complaints).toEqual([]);
  });

  it("says what went wrong later, and keeps what it showed", async () => {
    const place = createPlace();
    const file = join(place, "tea.md");
    writeFileSync(file, "Boil.\n");
    const wire = await openServer([...FILESYSTEM, place]);
    const edits = [{ oldText: "Boil.", newText: "Wait." }];
    const variables = { "--color-text-danger": "rgb(1, 2, 3)" };
    const input = { path: file, edits, dry_run: true };
    const { frame, page } = await openView(wire, "edit_file", input, { variables });
    rmSync(file);
    await frame.getByRole("button", { name: "Apply" }).press("Enter");
    await frame.getByRole("status").getByText("tea.md").waitFor();
    const colour = "getComputedStyle(document.querySelector('[role=status]')).color";
    expect(await page.frames()[1]?.evaluate(colour)).toBe("rgb(1, 2, 3)");
    await frame.getByRole("cell", { name: "Wait." }).waitFor();
    // The keyboard goes on where it was.
    writeFileSync(file, "Boil.\n");
    await page.keyboard.press("Enter");
    await frame.getByText("Applied.").waitFor();
    expect(readFileSync(file, "utf8")).toBe("Wait.\n");
  });

  it("takes the colours of the host", async () => {
    const variables = {
      "--color-background-primary": "rgb(1, 2, 3)",
      "--color-text-primary": "rgb(4, 5, 6)",
    };
    const wire = await openServer([...FILESYSTEM, createPlace()]);
    const { frame, page } = await openView(wire, "undo", {}, { variables });
    await frame.getByRole("heading").waitFor();
    const colours = await page
      .frames()[1]
      ?.evaluate(
        "(({ color, backgroundColor }) => [backgroundColor, color])(getComputedStyle(document.body))",
      );
    expect(colours).toEqual(Object.values(variables));
  });
});
