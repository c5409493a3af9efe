import * as fc from "fast-check";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import { openBrowser } from "../support/browser.ts";
import { describeWith } from "../support/programs.ts";
import { inSoak } from "../support/soak.ts";
import { FORMS } from "./forms.ts";
import { callFetch, openFetch, reaching } from "./program.ts";
import { randomPage } from "./random-page.ts";
import { openWeb } from "./web.ts";

const PAGES = inSoak(5000, 20);
/** Alone they take a quarter of that. */
const PATIENT_MS = 2_700_000;
/** Every so many-th form. */
const STEP = inSoak(1, 40);

const wordsOf = (text: unknown): readonly string[] => String(text).match(/word\d+/g) ?? [];

describeWith(["chromium"], "of random pages", () => {
  it("the words are read that a browser shows, in the same order", { timeout: PATIENT_MS }, async () => {
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

/** Two texts of the same size: text is seen if its pixels change with it. */
const TEXTS = ["WOMWOMWOM", "i.l,i.l,i"];

/** The number of bytes by which two pictures differ clearly, counted in the page itself. */
const COUNT = `async ([one, other]) => {
  const read = async (png) => {
    const picture = await createImageBitmap(await (await fetch("data:image/png;base64," + png)).blob());
    const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
    context.drawImage(picture, 0, 0);
    return context.getImageData(0, 0, picture.width, picture.height).data;
  };
  const [a, b] = [await read(one), await read(other)];
  return a.length === b.length ? a.filter((byte, at) => Math.abs(byte - b[at]) > 12).length : Infinity;
}`;

async function isSeen(page: Page, html: string): Promise<boolean> {
  const pictures: string[] = [];
  for (const text of TEXTS) {
    await page.setContent(html.replaceAll("SECRET", text));
    await page.addStyleTag({ content: "*{font-family:monospace!important}" });
    pictures.push((await page.screenshot({ fullPage: true })).toString("base64"));
  }
  await page.goto("about:blank");
  return (
    pictures[0] !== pictures[1] && Number(await page.evaluate(`(${COUNT})(${JSON.stringify(pictures)})`)) > 8
  );
}

describeWith(["chromium"], "of texts that are hidden in many ways", () => {
  it(
    "at most one in twenty is read without a mark, and none that is seen is left out",
    { timeout: PATIENT_MS },
    async () => {
      const web = await openWeb({});
      const wire = await openFetch([...reaching(web), "--ignore-robots-txt"]);
      const page = await (await openBrowser()).newPage({ viewport: { width: 1280, height: 800 } });
      const forms = FORMS.filter((_, index) => index % STEP === 0);
      const read: string[] = [];
      const lost: string[] = [];
      const wrong: string[] = [];
      for (const [index, form] of forms.entries()) {
        for (const kind of ["hiding", "showing"] as const) {
          const html = form[kind];
          if ((await isSeen(page, html)) !== (kind === "showing")) wrong.push(html);
          const path = `/${index}${kind}`;
          web.pages.set(path, { body: html.replaceAll("SECRET", "WOMWOMWOM") });
          const { structured } = await callFetch(wire, "fetch", { url: web.origin + path, mode: "full" });
          const isRead = String(structured["text"]).includes("WOMWOMWOM");
          if (kind === "showing" && !isRead) lost.push(html);
          if (kind === "hiding" && isRead && structured["maybe_hidden"] === undefined) read.push(html);
        }
      }
      // What the table says of each form, Chromium says too.
      expect(wrong).toEqual([]);
      expect(lost).toEqual([]);
      expect(read.length, read.join("\n")).toBeLessThanOrEqual(forms.length / 20);
    },
  );
});
