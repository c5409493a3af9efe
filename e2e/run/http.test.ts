import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { promisify } from "node:util";

import { callHttp } from "@suite/check/wires";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";

import { inRoot } from "../support/root.ts";
import { INITIALIZE, MODERN_HEADERS, MODERN_TOOLS_LIST, post, readEvents } from "./messages.ts";
import { runNotes, startNotes } from "./program.ts";
import { itOnUnix } from "../support/programs.ts";

async function next(events: AsyncGenerator<string, void>): Promise<string> {
  const { value } = await events.next();
  return value ?? "";
}

describe("--http", () => {
  itOnUnix("serves both eras at the URL that it prints", async () => {
    const notes = startNotes(["--http", "0"]);
    const url = await notes.url();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    const legacy = await post(url, INITIALIZE);
    expect(await legacy.json()).toMatchObject({
      result: { protocolVersion: "2025-06-18", serverInfo: { name: "notes" } },
    });
    const modern = await post(url, MODERN_TOOLS_LIST, MODERN_HEADERS);
    const tools = [{ name: "save_note" }, { name: "delete_note" }];
    expect(await modern.json()).toMatchObject({ result: { resultType: "complete", tools } });
    notes.kill("SIGTERM");
    const stderr = `notes: listening on ${url}\n`;
    expect(await notes.ended()).toMatchObject({ code: 0, signal: null, stdout: "", stderr });
  });

  itOnUnix("takes its address from the environment too, and does not mind the end of its input", async () => {
    const notes = startNotes([], { SUITE_HTTP: "[::1]:0" });
    notes.closeInput();
    const url = await notes.url();
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+\/mcp$/);
    expect((await post(url, INITIALIZE)).status).toBe(200);
    notes.kill("SIGINT");
    expect(await notes.ended()).toMatchObject({ code: 0, stdout: "" });
  });

  it.each(["127.0.0.2", "[0:0::1]", "LocalHost"])(
    "listens on %s, which only this machine reaches",
    async (host) => {
      const notes = startNotes(["--http", `${host}:0`]);
      const { port } = new URL(await notes.url());
      const statusFor = async (name: string): Promise<number> => {
        const url = `http://${host}:${port}/mcp`;
        return (await callHttp(url, { method: "PUT", headers: { host: name } })).status;
      };
      expect([await statusFor(host), await statusFor("127.0.0.3"), await statusFor("a.example")]).toEqual([
        405, 405, 403,
      ]);
    },
  );

  it.each([
    ["", ["--http"]],
    [" for the metrics", ["--http", "0", "--metrics"]],
  ])("a port in use%s is said, and is no mistake of the command line", async (_, before) => {
    const first = startNotes(["--http", "0"]);
    const { port } = new URL(await first.url());
    const second = await runNotes([...before, port]);
    expect(second).toMatchObject({ code: 69, stdout: "" });
    expect(second.stderr).toBe(
      `notes: Port ${port} of 127.0.0.1 is already in use. Choose another, or 0 for any free one.\n`,
    );
  });

  it("listens beyond the machine when told twice, and answers to loopback and the names it is given", async () => {
    const notes = startNotes(["--http", "0.0.0.0:0", "--insecure-no-auth", "--allowed-host", "a.example"]);
    const { port } = new URL(await notes.url());
    const statusFor = async (host: string): Promise<number> =>
      (await callHttp(`http://127.0.0.1:${port}/mcp`, { method: "PUT", headers: { host } })).status;
    expect([await statusFor("a.example"), await statusFor("b.example")]).toEqual([405, 403]);
    // As the image does, whose check is run beside the server.
    const [, check = ""] =
      /^HEALTHCHECK .*CMD (.*)$/m.exec(readFileSync(inRoot("deploy/Dockerfile"), "utf8")) ?? [];
    const [command = "", ...args] = JSON.parse(check.replace(":3000", `:${port}`)) as string[];
    await expect(promisify(execFile)(command, args)).resolves.toBeDefined();
  });

  it("lets in the web origins it is told", async () => {
    const notes = startNotes(["--http", "0", "--allowed-origin", "https://a.example,HTTPS://B.example:443/"]);
    const url = await notes.url();
    const statusFor = async (origin: string): Promise<number> =>
      (await post(url, INITIALIZE, { origin })).status;
    expect([await statusFor("https://b.example"), await statusFor("https://c.example")]).toEqual([200, 403]);
  });

  it("with authorization, asks for a token and says where to get one", async () => {
    const issuer = "http://127.0.0.1:9";
    const notes = startNotes([
      "--http",
      "0",
      "--auth-issuer",
      issuer,
      "--auth-resource",
      "https://notes.example/mcp",
    ]);
    const url = await notes.url();
    const { status, headers } = await post(url, INITIALIZE);
    expect(status).toBe(401);
    expect(headers.get("www-authenticate")).toMatch(/^Bearer .*resource_metadata="/);
    // As a proxy passes it on that leaves the name by which clients call.
    const statusFor = async (host: string): Promise<number> =>
      (await callHttp(url, { method: "POST", headers: { host } })).status;
    expect([await statusFor("notes.example"), await statusFor("b.example")]).toEqual([401, 403]);
  });
});

describe("a signal", () => {
  itOnUnix("lets a request that is on its way be answered first", async () => {
    const notes = startNotes(["--http", "0", "--grace", "60s"]);
    const url = await notes.url();
    const body = JSON.stringify(MODERN_TOOLS_LIST);
    const headers = {
      ...MODERN_HEADERS,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "content-length": String(body.length),
    };
    const outgoing = request(url, { method: "POST", headers });
    const answered = new Promise<number | undefined>((resolve, reject) => {
      outgoing.on("response", (response) => resolve(response.resume().statusCode)).on("error", reject);
    });
    outgoing.write(body.slice(0, 10));
    await post(url, MODERN_TOOLS_LIST, MODERN_HEADERS);
    notes.kill("SIGTERM");
    await new Promise((resolve) => setTimeout(resolve, 200));
    outgoing.end(body.slice(10));
    expect(await answered).toBe(200);
    expect(await notes.ended()).toMatchObject({ code: 0 });
  });

  itOnUnix("ends a call that waits for its user", async () => {
    const notes = startNotes(["--http", "0"]);
    const url = await notes.url();
    const session = { "mcp-session-id": (await post(url, INITIALIZE)).headers.get("mcp-session-id") ?? "" };
    await post(url, { jsonrpc: "2.0", method: "notifications/initialized" }, session);
    const params = { name: "delete_note", arguments: { title: "welcome" } };
    const call = await post(url, { jsonrpc: "2.0", id: 2, method: "tools/call", params }, session);
    expect(await next(readEvents(call))).toContain("elicitation/create");
    notes.kill("SIGTERM");
    expect(await notes.ended()).toMatchObject({ code: 0, signal: null });
  });
});

describe("--sse", () => {
  it("serves the transport of 2024-11-05, and only then", async () => {
    const notes = startNotes(["--http", "0", "--sse"]);
    const url = new URL(await notes.url());
    const events = readEvents(
      await fetch(new URL("/sse", url), { headers: { accept: "text/event-stream" } }),
    );
    const endpoint = await next(events);
    const message = { ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: "2024-11-05" } };
    expect((await post(new URL(endpoint, url).href, message)).status).toBe(202);
    expect(JSON.parse(await next(events))).toMatchObject({
      id: 1,
      result: { protocolVersion: "2024-11-05" },
    });

    const without = startNotes(["--http", "0"]);
    expect((await fetch(new URL("/sse", await without.url()))).status).toBe(404);
  });
});

describe("--websocket", () => {
  itOnUnix("serves sockets, ends with them open, and refuses them otherwise", async () => {
    const notes = startNotes(["--http", "0", "--websocket"]);
    const socket = new WebSocket((await notes.url()).replace("http:", "ws:"), "mcp");
    const answer = new Promise<string>((resolve, reject) => {
      socket.on("message", (data: Buffer) => resolve(data.toString())).on("error", reject);
    });
    socket.on("open", () => socket.send(JSON.stringify(INITIALIZE)));
    expect(JSON.parse(await answer)).toMatchObject({ id: 1, result: { protocolVersion: "2025-06-18" } });
    notes.kill("SIGTERM");
    expect(await notes.ended()).toMatchObject({ code: 0, signal: null });

    const without = startNotes(["--http", "0"]);
    const refused = new WebSocket((await without.url()).replace("http:", "ws:"), "mcp");
    const error = await new Promise<Error>((resolve) => refused.on("error", resolve));
    expect(error.message).toMatch(/socket hang up|Unexpected server response|ECONNRESET/);
  });
});
