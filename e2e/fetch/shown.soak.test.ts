import * as fc from "fast-check";
import { expect, it } from "vitest";

import { openBrowser } from "../support/browser.ts";
import { describeWith } from "../support/programs.ts";
import { inSoak } from "../support/soak.ts";
import { callFetch, openFetch, reaching } from "./program.ts";
import { randomPage } from "./random-page.ts";
import { openWeb } from "./web.ts";

const PAGES = inSoak(5000, 50);

const wordsOf = (text: unknown): readonly string[] => String(text).match(/word\d+/g) ?? [];

describeWith(["chromium"], "of random pages", () => {
  it("the words are read that a browser shows, in the same order", async () => {
    const web = await openWeb({});
    const wire = await openFetch(reaching(web));
    const page = await (await openBrowser()).newPage({ viewport: { width: 1280, height: 800 } });
    let count = 0;
    const isReadAsShown = fc.asyncProperty(randomPage, async (html) => {
      count += 1;
      const path = `/${count}`;
      web.pages.set(path, { body: html });
      const url = web.origin + path;
      await page.goto(url);
      const shown = wordsOf(await page.evaluate("document.body.innerText"));
      const { structured } = await callFetch(wire, "fetch", { url, mode: "full", max_length: 50_000 });
      web.pages.delete(path);
      expect(wordsOf(structured["text"])).toEqual(shown);
    });
    await fc.assert(isReadAsShown, { numRuns: PAGES });
  });
});
