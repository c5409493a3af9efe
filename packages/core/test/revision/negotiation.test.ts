import { describe, expect, it } from "vitest";
import { createServer, defineTool, SUPPORTED_VERSIONS, type Server } from "../../src/index.ts";
import type { Params } from "../../src/jsonrpc/message.ts";
import { openLine } from "../../src/testing.ts";
import { MODERN } from "../revisions.ts";
import { resultOf, textOf } from "../transcript.ts";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const META = { [VERSION]: MODERN, [CAPABILITIES]: {} };
const LONG = "x".repeat(64 * 1024);
const TESTER = { name: "c", version: "1" };

const server = (): Server =>
  createServer({
    name: "s",
    version: "1",
    tools: [defineTool({ name: "t", description: "…", run: (_input, { client }) => JSON.stringify(client) })],
  });

const initialize = (protocolVersion: unknown, more = {}): Params => ({
  protocolVersion,
  capabilities: {},
  clientInfo: TESTER,
  ...more,
});

describe("initialize", () => {
  it.each([
    ["no version", initialize(undefined)],
    ["a version that is no text", initialize(20241105)],
    ["a client with too much of a name", initialize("2025-06-18", { clientInfo: { ...TESTER, name: LONG } })],
    ["too many capabilities", initialize("2025-06-18", { capabilities: { experimental: { a: LONG } } })],
    ["a client without a name", initialize("2025-06-18", { clientInfo: { version: "1" } })],
  ])("refuses %s with -32602", async (_what, params) => {
    const line = await openLine(server());
    expect(await line.request("initialize", params)).toMatchObject({ error: { code: -32602 } });
    // A refused opening is none: the next one may succeed.
    expect(await line.request("initialize", initialize("2025-06-18"))).toMatchObject({ result: {} });
  });

  it("tells tools who the client is", async () => {
    const capabilities = {
      roots: { listChanged: true, odd: 1 },
      sampling: { tools: {} },
      elicitation: { url: {} },
      odd: {},
    };
    const line = await openLine(server());
    await line.request("initialize", initialize("2025-06-18", { capabilities }));
    const response = await line.request("tools/call", { name: "t" });
    const view = {
      info: TESTER,
      capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: {} },
      revision: "2025-06-18",
      era: "legacy",
    };
    expect(JSON.parse(textOf(resultOf(response)))).toEqual(view);
  });
});

describe("before any opening", () => {
  it("ping works, and nothing else", async () => {
    const line = await openLine(server());
    expect(await line.request("ping")).toMatchObject({ result: {} });
    for (const method of ["tools/list", "tools/call", "nonsense", "server/discover"]) {
      expect(await line.request(method)).toMatchObject({
        error: { code: -32602, data: { supported: SUPPORTED_VERSIONS } },
      });
    }
  });
});

describe("a modern request", () => {
  it.each(["2025-11-25", "2099-01-01", "", "x".repeat(5000)])(
    "in a revision that is not modern is refused: %.20s",
    async (requested) => {
      const line = await openLine(server());
      const response = await line.request("tools/list", { _meta: { ...META, [VERSION]: requested } });
      expect(response).toMatchObject({ error: { code: -32022, data: { supported: SUPPORTED_VERSIONS } } });
      expect(JSON.stringify(response).length).toBeLessThan(1000);
    },
  );
});
