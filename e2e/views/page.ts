import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { callTool, type Fields, PATIENCE_MS } from "@suite/check/wires";
import { build } from "esbuild";
import type { Browser, FrameLocator, Page } from "playwright-core";

import { oncePerFile, undoAfterTest, undoAtEnd } from "../support/afterwards.ts";
import { launchBrowser } from "../support/browser.ts";
import { inRoot } from "../support/root.ts";
import { Wire, type WireOptions } from "../support/wire.ts";

/** What a client declares that can show views. */
export const SHOWS_VIEWS: object = {
  extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
};

/** As the specification wants it where a page declares no domains. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "media-src 'self' data:",
  "connect-src 'none'",
  "frame-src 'none'",
  "object-src 'none'",
  "base-uri 'self'",
].join("; ");

const HOST = "http://host.example/";
const HOST_PAGE =
  '<!doctype html><body style="margin:0"><iframe sandbox="allow-scripts" style="border:0;width:100%;height:200px"></iframe><script src="/host.js"></script>';

const sharedHost = oncePerFile(async () => {
  const { outputFiles } = await build({
    entryPoints: [inRoot("e2e/views/host/host.ts")],
    bundle: true,
    write: false,
    format: "iife",
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
});

const sharedBrowser = oncePerFile(async (): Promise<Browser> => {
  const browser = await launchBrowser();
  undoAtEnd(() => browser.close());
  return browser;
});

interface Tool extends Fields {
  readonly name: string;
  readonly _meta?: { readonly ui?: { readonly resourceUri: string } };
}

export interface HostOptions {
  readonly theme?: "light" | "dark";
  /** Whether the page may call tools of its server. */
  readonly serverTools?: boolean;
  /** Whether the host says which tool was called. */
  readonly toolInfo?: boolean;
  readonly width?: number;
  /** What the page's calls wait for. */
  readonly slowly?: Promise<void>;
  /** Colours of the host. */
  readonly variables?: { readonly [name: string]: string };
}

/** A view in a host, with the server behind it. */
export interface OpenedView {
  readonly frame: FrameLocator;
  readonly page: Page;
  /** What the page asked of the host, in order; calls of tools are among them. */
  readonly heard: { readonly method: string; readonly params: Fields }[];
  /** Console errors, and requests of the page: there must be none. */
  readonly complaints: string[];
}

export const openServer = (command: readonly string[], env: WireOptions["env"] = {}): Promise<Wire> =>
  Wire.open(command, { revision: "2026-07-28", capabilities: SHOWS_VIEWS, env });

/** Calls a tool as a host does, and shows its result in the view that the tool names. */
export async function openView(
  wire: Wire,
  name: string,
  input: Fields,
  {
    theme = "light",
    serverTools = true,
    toolInfo = true,
    width = 760,
    slowly,
    variables = {},
  }: HostOptions = {},
): Promise<OpenedView> {
  const { result: listed } = await wire.request("tools/list");
  const tool = ((listed?.["tools"] ?? []) as readonly Tool[]).find((one) => one.name === name);
  const uri = tool?._meta?.ui?.resourceUri ?? "";
  const { result: read } = await wire.request("resources/read", { uri });
  const [{ text: html = "" } = {}] = (read?.["contents"] ?? []) as { text?: string }[];
  const { result } = await callTool(wire, name, input);
  const browser = await sharedBrowser();
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: theme });
  undoAfterTest(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  const host = await sharedHost();
  await context.route("**/*", async (route) => {
    const url = route.request().url();
    if (url === HOST) return route.fulfill({ contentType: "text/html", body: HOST_PAGE });
    if (url === `${HOST}host.js`) return route.fulfill({ contentType: "text/javascript", body: host });
    if (url === `${HOST}view`)
      return route.fulfill({
        contentType: "text/html",
        headers: { "content-security-policy": POLICY },
        body: html,
      });
    complaints.push(`a request to ${url}`);
    return route.abort();
  });
  const heard: OpenedView["heard"] = [];
  await page.exposeFunction("heard", (request: OpenedView["heard"][number]) => void heard.push(request));
  await page.exposeFunction("callServer", async (params: { name: string; arguments?: Fields }) => {
    heard.push({ method: "call", params });
    await slowly;
    return (await callTool(wire, params.name, params.arguments)).result;
  });
  await page.goto(HOST);
  const hostContext = {
    theme,
    styles: { variables },
    availableDisplayModes: ["inline", "fullscreen"],
    ...(toolInfo && { toolInfo: { tool } }),
  };
  const opened = { context: hostContext, serverTools, input, result };
  // A string: types of the page are not those of this program.
  await page.evaluate(`window.openView(${JSON.stringify(opened)})`);
  return { frame: page.frameLocator("iframe"), page, heard, complaints };
}

/** In both themes, kept for people to look at, if they say where. */
export async function takePicture({ page }: OpenedView, name: string): Promise<void> {
  const folder = process.env["SCREENSHOTS"];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  // What is outside of the window would stay white.
  const height = (await page.locator("iframe").boundingBox())?.height ?? 0;
  await page.setViewportSize({ width: page.viewportSize()?.width ?? 0, height: Math.max(900, height) });
  for (const theme of ["dark", "light"]) {
    await page.evaluate(`window.changeContext({ theme: "${theme}" })`);
    await page.waitForTimeout(200);
    await page.locator("iframe").screenshot({ path: join(folder, `${name}-${theme}.png`) });
  }
}
