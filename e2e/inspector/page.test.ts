import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { PATIENCE_MS } from "@suite/check/wires";
import { expect, it, onTestFinished } from "vitest";

import { openBrowser } from "../support/browser.ts";
import { freePort } from "../support/free-port.ts";
import { createPlace } from "../support/place.ts";
import { describeWith } from "../support/programs.ts";
import { INSPECTOR, programOf } from "./inspector.ts";

/** Starts the Inspector's own web server, and gives the address of its page. */
async function startPage(home: string, args: readonly string[]): Promise<string> {
  const [node, launcher] = INSPECTOR;
  const child = spawn(node, [launcher, "--web", ...args], {
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      HOST: "127.0.0.1",
      // It does not take just any port: it is told which one is free.
      CLIENT_PORT: String(await freePort()),
      MCP_SANDBOX_PORT: "0",
      MCP_AUTO_OPEN_ENABLED: "false",
      MCP_INSPECTOR_SECRET_STORE: "memory",
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  });
  let said = "";
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    said += String(chunk);
    const address = /http:\/\/\S+API_TOKEN=\w+/.exec(said)?.[0];
    if (address !== undefined) {
      child.stdout.resume();
      return address;
    }
  }
  throw new Error(`The Inspector ended: ${said}`);
}

describeWith(["chromium"], "the Inspector's page", () => {
  it("connects, lists the tools, and calls one", async () => {
    const home = createPlace();
    const shelf = join(home, "shelf");
    mkdirSync(shelf);
    writeFileSync(join(shelf, "only-this.txt"), "");
    const program = programOf("@suite/server-filesystem");
    const address = await startPage(home, [process.execPath, program, shelf]);
    const page = await (await openBrowser()).newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(address);
    // Its input is hidden, and a click on its place is lost while the page still moves.
    await page.getByRole("switch").dispatchEvent("click");
    await page.getByText("Tools", { exact: true }).first().click();
    await page.getByText(/^Tools \(\d+\)$/).waitFor();
    await page.getByText("list_directory", { exact: true }).click();
    await page.getByRole("button", { name: "Execute Tool" }).click();
    const result = page.getByText("only-this.txt").first();
    await result.waitFor();
    const picture = process.env["SCREENSHOT"];
    if (picture !== undefined) await page.screenshot({ path: picture });
    expect(await result.innerText()).toContain("only-this.txt");
  });
});
