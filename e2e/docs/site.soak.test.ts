import { execFileSync } from "node:child_process";
import { createReadStream, existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";

import { PATIENCE_MS } from "@suite/check/wires";
import { expect, it } from "vitest";

import { undoAfterTest } from "../support/afterwards.ts";
import { openBrowser } from "../support/browser.ts";
import { describeWith } from "../support/programs.ts";
import { inRoot } from "../support/root.ts";

const TYPES: { readonly [extension: string]: string } = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

/** What any web server does with a folder. */
async function serveFolder(folder: string): Promise<string> {
  const server = createServer(({ url = "" }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    const file = join(folder, decodeURI(pathname.endsWith("/") ? `${pathname}index.html` : pathname));
    const isThere = existsSync(file);
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    response.writeHead(isThere ? 200 : 404, { "content-type": type });
    if (isThere) createReadStream(file).pipe(response);
    else response.end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  undoAfterTest(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

describeWith(["chromium"], "npm run site", () => {
  it("makes pages that link to each other, are found by their words, and need no other site", async () => {
    const folder = await mkdtemp(join(tmpdir(), "suite-site-"));
    undoAfterTest(() => rm(folder, { recursive: true, force: true }));
    // It fails where a page links to one that is not there.
    execFileSync(
      process.execPath,
      [inRoot("node_modules/vitepress/bin/vitepress.js"), "build", "docs", "--outDir", folder],
      { cwd: inRoot("."), stdio: "pipe" },
    );
    const origin = await serveFolder(folder);
    const page = await (await openBrowser()).newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const requested: string[] = [];
    page.on("request", (request) => void requested.push(request.url()));
    await page.goto(`${origin}/docs/`);
    await page.getByRole("main").getByRole("link", { name: "SQLite", exact: true }).click();
    await page.waitForURL("**/servers/sqlite/");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("searchbox").fill("cherry-pick");
    await page.getByRole("option").filter({ hasText: "@suite/server-git" }).first().click();
    await page.waitForURL("**/servers/git/**");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain("@suite/server-git");
    expect(requested.filter((url) => !url.startsWith(origin) && !url.startsWith("data:"))).toEqual([]);
    // Sources are no pages.
    await page.goto(`${origin}/servers/notes/`);
    const source = page.getByRole("main").locator("a[href*='/main/']").first();
    expect(await source.getAttribute("href")).toMatch(
      /^https:\/\/github\.com\/[^/]+\/[^/]+\/(blob|tree)\/main\//,
    );
  });
});
