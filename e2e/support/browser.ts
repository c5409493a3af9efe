import { type Browser, chromium } from "playwright-core";

import { undoAfterTest } from "./afterwards.ts";
import { pathOf } from "./programs.ts";

export async function openBrowser(): Promise<Browser> {
  // In a container there is nobody to make a sandbox; the only pages are those of this machine.
  const browser = await chromium.launch({ executablePath: pathOf("chromium"), args: ["--no-sandbox"] });
  undoAfterTest(() => browser.close());
  return browser;
}
