import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { createServer, defineResource } from "@suite/core";
import { serveHttp } from "@suite/core/http";
import { describe, expect, it } from "vitest";

import { startAuthorizationServer } from "../auth/authorization-server.ts";
import { Browser } from "../auth/browser.ts";
import { startProtectedServer } from "../auth/protected-server.ts";
import { undoAfterTest } from "../support/afterwards.ts";
import { openBrowser } from "../support/browser.ts";
import { createPlace } from "../support/place.ts";
import { Program, runToEnd } from "../support/program.ts";
import { describeWith } from "../support/programs.ts";
import { inRoot } from "../support/root.ts";

const CLIENT = [process.execPath, inRoot("packages/client/dist/main.js")];
const NOTES = ["--", process.execPath, inRoot("servers/notes/dist/main.js")];

interface Row {
  readonly args: readonly string[];
  readonly exit: number;
  readonly out?: RegExp;
  readonly err?: RegExp;
}

const ROWS: readonly Row[] = [
  {
    args: ["list", ...NOTES],
    exit: 0,
    out: /^tools \(2\)\n {2}save_note {2}Saves a note.*\n[^]*^prompts \(\d+\)$/m,
  },
  {
    args: ["list", "tools", "--json", ...NOTES],
    exit: 0,
    out: /^\{\n {2}"tools": \[[^]*"name": "save_note"/,
  },
  { args: ["list", "tools", "--revision", "2025-06-18", ...NOTES], exit: 0, out: /save_note/ },
  { args: ["call", "save_note", "title=5", "text=five", ...NOTES], exit: 0, out: /^Saved note:\/\/\/5\n/ },
  {
    args: ["call", "save_note", '{"title":"a","text":"b"}', ...NOTES],
    exit: 0,
    out: /^Saved note:\/\/\/a\n/,
  },
  { args: ["call", "delete_note", "title=none", ...NOTES], exit: 1, out: /No note "none"/ },
  { args: ["call", "nothing", ...NOTES], exit: 1, err: /nothing/ },
  { args: ["read", "note:///welcome", ...NOTES], exit: 0, out: /\S/ },
  { args: ["read", "note:///none", ...NOTES], exit: 1, err: /\S/ },
  {
    // Arguments of prompts are text, whatever they look like.
    args: ["prompt", "summarize_note", "title=welcome", "style=7", ...NOTES],
    exit: 0,
    out: /^user: Summarize this note as 7:/,
  },
  { args: ["prompt", "summarize_note", ...NOTES], exit: 1, err: /title: is required/ },
  { args: ["complete", "summarize_note", "style", "h", ...NOTES], exit: 0, out: /^haiku\n$/ },
  { args: ["complete", "note:///{title}", "title", ...NOTES], exit: 0, out: /^welcome\n$/ },
  { args: ["--help"], exit: 0, out: /^Talks to an MCP server/ },
  { args: ["sing", ...NOTES], exit: 64, err: /There is no command "sing"/ },
  { args: ["read", ...NOTES], exit: 64, err: /read does not take 0 arguments/ },
  { args: ["list"], exit: 64, err: /--url or, after --/ },
  { args: ["call", "save_note", "title", ...NOTES], exit: 64, err: /"title" is not key=value/ },
  { args: ["list", "--url", "localhost:3000"], exit: 64, err: /not an address of HTTP/ },
  { args: ["list", "--", "no-such-program"], exit: 69, err: /could not be started/ },
  { args: ["list", "--url", "http://127.0.0.1:1/mcp"], exit: 69, err: /cannot be reached/ },
];

/** A server that wants a login, and the client in front of it. */
async function openProtected() {
  const provider = await startAuthorizationServer("jwt");
  undoAfterTest(() => provider.close());
  const serving = await startProtectedServer({ issuer: provider.issuer });
  undoAfterTest(() => serving.close(0));
  const env = { ...process.env, CI: "1", XDG_STATE_HOME: createPlace() };
  const start = (...args: readonly string[]): Program =>
    new Program([...CLIENT, ...args, "--url", serving.url], env);
  return { url: serving.url, env, start };
}

const addressIn = async (program: Program): Promise<URL> =>
  new URL((await program.heard(/Log in at (\S+)/))[1] ?? "");

describe("suite-client", () => {
  it.each(ROWS)("$args", async ({ args, exit, out = /^$/, err = /^/ }) => {
    const outcome = await runToEnd([...CLIENT, ...args], { ...process.env, CI: "1" });
    expect(outcome).toMatchObject({ code: exit });
    expect(outcome.stdout).toMatch(out);
    expect(outcome.stderr).toMatch(err);
  });

  it("lets no server control the terminal, and says what changes over HTTP", async () => {
    const page = defineResource({
      uri: "demo:///page",
      name: "page",
      subscribe: true,
      read: () => "\u001b[2Jcleared",
    });
    const server = createServer({ name: "t", version: "1", resources: [page] });
    const serving = await serveHttp(server, { port: 0 });
    undoAfterTest(() => serving.close(0));
    const read = await runToEnd([...CLIENT, "read", "demo:///page", "--url", serving.url]);
    expect(read.stdout).toBe("\\u001b[2Jcleared\n");
    const watching = new Program([...CLIENT, "subscribe", "demo:///page", "--url", serving.url]);
    const changing = setInterval(() => server.resourceUpdated("demo:///page"), 100);
    undoAfterTest(() => clearInterval(changing));
    await watching.said(/^changed: demo:\/\/\/page$/m);
    watching.kill("SIGINT");
    expect(await watching.ended()).toMatchObject({ code: 0 });
  });

  it("logs a person in once, and keeps that where only they can read it", async () => {
    const { url, env, start } = await openProtected();
    const logIn = async (program: Program): Promise<void> => {
      const address = await addressIn(program);
      const redirectUrl = address.searchParams.get("redirect_uri") ?? "";
      const back = await new Browser().visit(address, redirectUrl);
      await fetch(`${redirectUrl}?${String(back)}`);
    };
    const first = start("call", "count_notes");
    await logIn(first);
    const { code, stdout, stderr } = await first.ended();
    expect([code, stdout]).toEqual([0, "1\n"]);
    const file = join(env.XDG_STATE_HOME, "suite-client/logins.json");
    const { access } = (
      JSON.parse(readFileSync(file, "utf8")) as Record<
        string,
        { readonly tokens: { readonly access: string } }
      >
    )[url]!.tokens;
    expect(stdout + stderr).not.toContain(access);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await start("call", "count_notes").ended();
    expect([again.code, again.stdout, again.stderr]).toEqual([0, "1\n", ""]);
    const anew = start("call", "count_notes", "--forget");
    await logIn(anew);
    expect(await anew.ended()).toMatchObject({ code: 0 });
  });
});

describeWith(["chromium"], "suite-client with a browser", () => {
  it("hears of a login from the browser, and not of another's", async () => {
    const { start } = await openProtected();
    const program = start("call", "count_notes");
    const address = await addressIn(program);
    const page = await (await openBrowser()).newPage();
    const forged = `${address.searchParams.get("redirect_uri")}?code=c&state=s`;
    expect((await page.goto(forged))?.ok()).toBe(false);
    await page.goto(address.href);
    expect(await page.textContent("body")).toMatch(/close this page/i);
    expect(await program.ended()).toMatchObject({ code: 0, stdout: "1\n" });
  });
});
