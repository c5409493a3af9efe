import { createServer, defineResource } from "@suite/core";
import { serveHttp } from "@suite/core/http";
import { describe, expect, it } from "vitest";

import { undoAfterTest } from "../support/afterwards.ts";
import { Program, runToEnd } from "../support/program.ts";
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
  { args: ["--help"], exit: 0, out: /^Talks to an MCP server/ },
  { args: ["sing", ...NOTES], exit: 64, err: /There is no command "sing"/ },
  { args: ["read", ...NOTES], exit: 64, err: /read does not take 0 arguments/ },
  { args: ["list"], exit: 64, err: /--url or, after --/ },
  { args: ["call", "save_note", "title", ...NOTES], exit: 64, err: /"title" is not key=value/ },
  { args: ["list", "--", "no-such-program"], exit: 69, err: /could not be started/ },
  { args: ["list", "--url", "http://127.0.0.1:1/mcp"], exit: 69, err: /cannot be reached/ },
];

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
});
