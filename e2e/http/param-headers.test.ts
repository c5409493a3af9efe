import { type Fields, type HttpWire, type ListedTool, textOf } from "@suite/check/wires";
import { createServer, defineTool, type Server } from "@suite/core";
import { createFetchHandler, serveHttp } from "@suite/core/http";
import { expect } from "vitest";

import { verify } from "./verify.ts";

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString("base64")}?=`;

/** What comes of a call with these arguments and headers. */
async function route(wire: HttpWire, args: Fields, headers: Record<string, string> = {}): Promise<unknown> {
  const sent = await wire.sendTool("routed", args, { headers });
  const answer = await sent.answer();
  return answer.error ? [sent.status, answer.error.code] : (JSON.parse(textOf(answer)) as unknown);
}

const MISMATCH = [400, -32020];

verify(
  ["http/encoded-header-decoded"],
  "decodes what is wrapped in base64 before it compares",
  async ({ open }) => {
    const wire = await open();
    for (const region of ["us-west1", "Hello, 世界", " padded ", "line1\nline2", "=?base64?literal?=", ""])
      expect(await route(wire, { region }, { "mcp-param-region": base64(region) })).toEqual({ region });
    expect(await route(wire, { shelf: 7 }, { "mcp-param-shelf": base64("7") })).toEqual({ shelf: 7 });
    expect(await route(wire, { region: "a" }, { "mcp-param-region": base64("b") })).toEqual(MISMATCH);
    const name = { headers: { "mcp-name": base64("journal") } };
    expect((await wire.callTool("journal", {}, name)).result).toBeDefined();
    const wrong = await wire.sendTool("journal", {}, { headers: { "mcp-name": base64("slow") } });
    expect([wrong.status, (await wrong.answer()).error?.code]).toEqual(MISMATCH);
  },
);

verify(
  ["http/header-invalid-characters"],
  "refuses a header with characters that it must not have",
  async ({ open }) => {
    const wire = await open();
    for (const value of ["Région", "=?base64?e?=", "=?base64?/w==?=", "=?base64?*?="]) {
      expect(await route(wire, { region: value }, { "mcp-param-region": value }), value).toEqual(MISMATCH);
    }
    const name = await wire.sendTool("routed", {}, { headers: { "mcp-name": "=?base64?*?=" } });
    expect([name.status, (await name.answer()).error?.code]).toEqual(MISMATCH);
    // Nobody annotated this one, so nobody looks at it.
    expect(await route(wire, {}, { "mcp-param-other": "Région" })).toEqual({});
  },
);

verify(
  ["http/param-header-missing"],
  "refuses a call whose annotated argument has no header",
  async ({ open, served }) => {
    const wire = await open();
    for (const args of [
      { region: "a" },
      { region: "" },
      { shelf: 0 },
      { dry: false },
      { where: { room: "x" } },
    ])
      expect(await route(wire, args), JSON.stringify(args)).toEqual(MISMATCH);
    expect(served.state.calls).toEqual([]);
    const all = { region: "a", shelf: 0, dry: false, where: { room: "x" } };
    const headers = {
      "mcp-param-region": "a",
      "mcp-param-shelf": "0",
      "mcp-param-dry": "false",
      "mcp-param-room": "x",
    };
    expect(await route(wire, all, headers)).toEqual(all);
  },
);

verify(
  ["http/param-header-not-expected"],
  "wants no header for an argument that is absent or null",
  async ({ open }) => {
    const wire = await open();
    expect(await route(wire, { note: "free" })).toEqual({ note: "free" });
    const sent = await wire.sendTool("routed", { region: null, where: null });
    expect(sent.status).toBe(200);
    expect(await route(wire, {}, { "mcp-param-region": "a" })).toEqual(MISMATCH);
  },
);

verify(
  ["http/integer-headers-numeric", "http/x-mcp-header-safe-integer"],
  "compares integers as numbers, as far as they are exact",
  async ({ open }) => {
    const wire = await open();
    const shelf = (value: number, header: string): Promise<unknown> =>
      route(wire, { shelf: value }, { "mcp-param-shelf": header });
    for (const header of ["42", "42.0", "42.000", "042"])
      expect(await shelf(42, header), header).toEqual({ shelf: 42 });
    expect(await shelf(-7, "-7.0")).toEqual({ shelf: -7 });
    expect(await shelf(Number.MAX_SAFE_INTEGER, "9007199254740991")).toEqual({
      shelf: Number.MAX_SAFE_INTEGER,
    });
    for (const header of ["43", "42.5", "0x2a", "4.2e1", "42 ,42", "", "forty-two"])
      expect(await shelf(42, header), header).toEqual(MISMATCH);
    expect(await shelf(2 ** 53, "9007199254740992")).toEqual(MISMATCH);
    expect(await shelf(-(2 ** 53), "-9007199254740992")).toEqual(MISMATCH);
  },
);

interface Annotated extends Fields {
  readonly "x-mcp-header"?: unknown;
  readonly type?: unknown;
  readonly properties?: Record<string, Annotated>;
}

/** All annotations of a schema, wherever they stand, and those that a chain of properties leads to. */
function annotationsOf(schema: Annotated): { reached: Annotated[]; everywhere: number } {
  const inner = Object.values(schema.properties ?? {}).map(annotationsOf);
  const own = schema["x-mcp-header"] === undefined ? [] : [schema];
  const everywhere = JSON.stringify(schema).split('"x-mcp-header":').length - 1;
  return { reached: [...own, ...inner.flatMap(({ reached }) => reached)], everywhere };
}

const annotated = (properties: Fields, more: Fields = {}): Server => {
  const input = { type: "object", properties, ...more };
  const tool = defineTool({ name: "wrong", description: "Is annotated.", input, run: () => "never" });
  return createServer({ name: "wrong", version: "1", tools: [tool] });
};

verify(
  [
    "http/x-mcp-header-name",
    "http/x-mcp-header-unique",
    "http/x-mcp-header-primitive",
    "http/x-mcp-header-reachable",
  ],
  "lists only annotations that clients can follow, and does not start with others",
  async ({ open }) => {
    const wire = await open();
    const tools: ListedTool[] = [];
    for (let cursor: unknown, page = 0; page === 0 || cursor !== undefined; page += 1) {
      const { result } = await wire.request("tools/list", cursor === undefined ? {} : { cursor });
      tools.push(...(result?.["tools"] as ListedTool[]));
      cursor = result?.["nextCursor"];
    }
    expect(tools.map(({ name }) => name)).toContain("routed");
    for (const { name, inputSchema } of tools) {
      const { reached, everywhere } = annotationsOf(inputSchema);
      expect(reached, name).toHaveLength(everywhere);
      const names = reached.map((schema) => String(schema["x-mcp-header"]).toLowerCase());
      expect(new Set(names).size, name).toBe(names.length);
      for (const header of names) expect(header, name).toMatch(TOKEN);
      for (const { type } of reached) expect(["string", "integer", "boolean"], name).toContain(type);
    }
    const wrong: readonly [Fields, Fields?][] = [
      [{ a: { type: "string", "x-mcp-header": "" } }],
      [{ a: { type: "string", "x-mcp-header": "a b" } }],
      [{ a: { type: "string", "x-mcp-header": "a\r\nb" } }],
      [{ a: { type: "string", "x-mcp-header": "A" }, b: { type: "string", "x-mcp-header": "a" } }],
      [{ a: { type: "number", "x-mcp-header": "A" } }],
      [{ a: { type: "object", "x-mcp-header": "A" } }],
      [{ a: { type: "array", items: { type: "string", "x-mcp-header": "A" } } }],
      [{}, { anyOf: [{ properties: { a: { type: "string", "x-mcp-header": "A" } } }] }],
    ];
    for (const [properties, more] of wrong) {
      const server = annotated(properties, more);
      await expect(serveHttp(server), JSON.stringify(properties)).rejects.toThrow(
        "Tool wrong cannot be served",
      );
      expect(() => createFetchHandler(server)).toThrow("Tool wrong cannot be served");
    }
  },
);
