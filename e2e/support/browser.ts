import { type Browser, chromium } from "playwright-core";

import { undoAfterTest } from "./afterwards.ts";
import { pathOf } from "./programs.ts";

// In a container there is nobody to make a sandbox; the only pages are those of this machine.
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: pathOf("chromium"), args: ["--no-sandbox"] });

export async function openBrowser(): Promise<Browser> {
  const browser = await launchBrowser();
  undoAfterTest(() => browser.close());
  return browser;
}
