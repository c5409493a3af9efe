import {
  callHttp,
  HttpWire,
  JSON_HEADERS,
  META_CLIENT_CAPABILITIES,
  META_PROTOCOL_VERSION,
} from "@suite/check/wires";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { HttpProgram, toBytes, toModernBytes } from "./http-program.ts";

let notes: HttpProgram;

beforeAll(async () => void (notes = await HttpProgram.start(["--websocket"])));
afterAll(() => notes.stop());

/** Says something on a connection of its own, and gives back all of the answer. */
async function exchange(bytes: string): Promise<{ readonly status: number; readonly body: string }> {
  const connection = await notes.dial();
  const closed = new Promise((resolve) => connection.socket.once("close", resolve));
  connection.socket.write(bytes.replace("\r\n", "\r\nConnection: close\r\n"), "latin1");
  await closed;
  const [head = "", body = ""] = connection.heard.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), body };
}

const listing = (...headers: readonly (readonly [string, string])[]): string =>
  toModernBytes(notes.url, "tools/list", {}, headers);

describe("a request whose headers come twice", () => {
  const CALL = { name: "save_note", arguments: { title: "x", text: "x" } };

  it.each(["Host", "Origin", "Authorization", "Content-Type", "Mcp-Session-Id", "MCP-Protocol-Version"])(
    "is refused: %s",
    async (name) => {
      const value = name === "Host" ? notes.url.host : "application/json";
      const twice = name === "Host" || name === "Content-Type" || name.startsWith("MCP") ? 1 : 2;
      const lines = Array.from({ length: twice }, () => [name, value] as const);
      expect(await exchange(listing(...lines))).toMatchObject({ status: 400 });
    },
  );

  it.each([
    ["Mcp-Name", "save_note"],
    ["Mcp-Method", "tools/call"],
  ])("is a mismatch: %s", async (name, value) => {
    const lines = [["Mcp-Name", "save_note"] as const, [name, value] as const];
    const { status, body } = await exchange(toModernBytes(notes.url, "tools/call", CALL, lines));
    expect([status, JSON.parse(body)]).toMatchObject([400, { id: 1, error: { code: -32020 } }]);
  });

  it("is a mismatch even where the joined lines are the name", async () => {
    const params = { name: "save, note", arguments: {} };
    const lines = [["Mcp-Name", "save"] as const, ["Mcp-Name", "note"] as const];
    const { status, body } = await exchange(toModernBytes(notes.url, "tools/call", params, lines));
    expect([status, JSON.parse(body)]).toMatchObject([400, { error: { code: -32020 } }]);
  });
});

describe("a target with a host in it", () => {
  const at = (target: string): string => listing().replace("POST /mcp ", `POST ${target} `);

  it("is read, and its host is the one that counts", async () => {
    expect(await exchange(at(notes.url.href))).toMatchObject({ status: 200 });
    const elsewhere = at(notes.url.href).replace(/^Host: .*$/m, "Host: evil.example.com");
    expect(await exchange(elsewhere)).toMatchObject({ status: 200 });
    expect(await exchange(at("http://evil.example.com/mcp"))).toMatchObject({ status: 403 });
    expect(await exchange(at(`http://${notes.url.host}/elsewhere`))).toMatchObject({ status: 404 });
    expect(await exchange(at("http://[nonsense/mcp"))).toMatchObject({ status: 404 });
  });
});

describe("a body", () => {
  it("that is compressed is refused, and one that says it is not is read", async () => {
    const { status } = await exchange(listing(["Content-Encoding", "gzip"]));
    expect(status).toBe(415);
    expect((await exchange(listing(["Content-Encoding", "identity"]))).status).toBe(200);
  });

  it("that is not UTF-8 is a parse error", async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping\xff"}';
    const bytes = toBytes(notes.url, "POST", Object.entries(JSON_HEADERS), "");
    const length = `Content-Length: ${body.length}\r\n\r\n`;
    const answer = await exchange(bytes.replace(/\r\n$/, length) + body);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: -32700 } });
  });
});

describe("a handshake that fails", () => {
  it("gives nobody a session", async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { capabilities: 1 } });
    const answer = await callHttp(notes.url.href, { method: "POST", headers: JSON_HEADERS, body });
    expect((await answer.answer()).error).toBeDefined();
    expect(answer.headers).not.toHaveProperty("mcp-session-id");
  });
});

describe("a modern request in a legacy batch", () => {
  it("is refused, since no header speaks of it", async () => {
    const wire = await HttpWire.open(notes.url.href, "2025-03-26");
    const _meta = { [META_PROTOCOL_VERSION]: "2026-07-28", [META_CLIENT_CAPABILITIES]: {} };
    const answer = await wire.say([
      { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta } },
      { jsonrpc: "2.0", id: 2, method: "tools/list" },
    ]);
    await answer.ended;
    expect(answer.messages).toMatchObject([
      { id: 1, error: { code: -32600 } },
      { id: 2, result: {} },
    ]);
  });
});

describe("half of a character in a title", () => {
  it("is not saved, and breaks no list", async () => {
    const wire = await HttpWire.open(notes.url.href, "2025-11-25");
    for (const title of ["\ud83d", "a\udc00b"]) {
      const { result } = await wire.callTool("save_note", { title, text: "x" });
      expect(result).toMatchObject({
        isError: true,
        _meta: { "dev.suite/error": { code: "invalid_input" } },
      });
    }
    expect((await wire.callTool("save_note", { title: "😀", text: "x" })).result).not.toHaveProperty(
      "isError",
    );
    let cursor: unknown;
    do {
      const params: Record<string, unknown> = cursor === undefined ? {} : { cursor };
      const { result } = await wire.request("resources/list", params);
      expect(result).toHaveProperty("resources");
      cursor = result?.["nextCursor"];
    } while (cursor !== undefined);
  });
});
