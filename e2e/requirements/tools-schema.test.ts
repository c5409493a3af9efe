import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isValidSchema } from "@suite/check";
import { callTool, type Fields, listTools, textOf } from "@suite/check/wires";
import { expect, onTestFinished } from "vitest";

import { EVERY_KEYWORD } from "../fixtures/everything/schemas.ts";
import { journalOf } from "../support/calls.ts";
import { EVERYTHING, LIBRARIES, NOTES } from "../support/servers.ts";
import type { Wire } from "../support/wire.ts";
import { freshJournal } from "./fresh-journal.ts";
import { verify } from "./verify.ts";

/** Which of these arguments the tool takes, by the tool's own account of whether it ran. */
async function taken(wire: Wire, name: string, candidates: readonly Fields[]): Promise<readonly Fields[]> {
  const journal = await freshJournal(wire);
  const accepted: Fields[] = [];
  for (const args of candidates) {
    const { result } = await callTool(wire, name, args);
    if (result?.["isError"] !== true) accepted.push(args);
  }
  expect((await journal()).ran).toHaveLength(accepted.length);
  return accepted;
}

verify(
  ["tools/input-schema-object", "tools/no-parameters-schema-closed", "tools/name-shape", "tools/name-unique"],
  "lists tools with proper names and schemas",
  async ({ shared }) => {
    const everything = await listTools(await shared());
    for (const tools of [everything, await listTools(await shared(NOTES))]) {
      expect(tools.length).toBeGreaterThan(1);
      for (const { name, inputSchema } of tools) {
        expect(name).toMatch(/^[\w.-]{1,128}$/);
        expect(inputSchema, name).toMatchObject({ type: "object" });
      }
      expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    }
    const silent = everything.find(({ name }) => name === "no_arguments");
    expect(silent?.inputSchema).toEqual({ type: "object", additionalProperties: false });
  },
);

verify(
  "schema/default-dialect",
  "keeps and enforces 2020-12 where nothing else is said",
  async ({ shared }) => {
    const wire = await shared();
    const tool = (await listTools(wire)).find(({ name }) => name === "every_keyword");
    expect(tool?.inputSchema).toEqual(EVERY_KEYWORD);
    const valid = [
      { kind: "order", pair: ["a", 1] },
      { kind: "order", note: "x" },
      { kind: "order", to: { street: "x", country: "US" }, amount: 1.5, code: "AB" },
    ];
    const invalid = [
      { kind: "order", pair: ["a", "b"] },
      { kind: "order", pair: ["a", 1, 2] },
      { kind: "order", unheard: 1 },
      { kind: "order", note: 5 },
      { kind: "order", amount: 1.5 },
      { kind: "order", to: { street: "" } },
      { kind: "order", to: { street: "x", country: "US" } },
      { kind: "order", tags: ["calm"] },
    ];
    expect(await taken(wire, "every_keyword", [...invalid, ...valid])).toEqual(valid);
  },
);

verify("schema/declared-dialect", "enforces draft-07 where the schema says so", async ({ shared }) => {
  const wire = await shared();
  const valid = [{}, { pair: ["a", 1], reason: "x" }, { pair: ["a"], reason: "x" }];
  const invalid = [
    { pair: ["a", 1] },
    { pair: [1, 1], reason: "x" },
    { pair: ["a", "b"], reason: "x" },
    { pair: ["a", 1, 2], reason: "x" },
  ];
  expect(await taken(wire, "draft_07", [...invalid, ...valid])).toEqual(valid);
});

verify(
  "schema/unsupported-dialect",
  "refuses calls that it cannot check, and says why",
  async ({ shared }) => {
    const wire = await shared();
    const journal = await freshJournal(wire);
    for (const args of [{}, { word: "x" }, { word: 1 }]) {
      const { error, result } = await callTool(wire, "unknown_dialect", args);
      expect(result).toBeUndefined();
      expect(error?.code).toBe(-32603);
      expect(error?.message).toContain("unsupported $schema");
    }
    expect((await journal()).ran).toEqual([]);
    expect(textOf(await callTool(wire, "no_arguments"))).toBe("done");
  },
);

/** Every schema of a server's tools, by the tool and the member it is in. */
async function schemas(wire: Wire): Promise<readonly (readonly [name: string, schema: Fields])[]> {
  const tools = await listTools(wire);
  return tools.flatMap(({ name, inputSchema, outputSchema }) => [
    [`${name} input`, inputSchema] as const,
    ...(outputSchema ? [[`${name} output`, outputSchema] as const] : []),
  ]);
}

verify("schema/valid", "lists only schemas that their own dialect accepts", async ({ shared }) => {
  const listed = await Promise.all(
    [NOTES, LIBRARIES, EVERYTHING].map(async (server) => schemas(await shared(server))),
  );
  expect(listed.map(({ length }) => length > 2)).toEqual([true, true, true]);
  const doubtful = listed.flat().filter(([, schema]) => isValidSchema(schema) !== true);
  // The one dialect that nobody knows: it has no rules to be valid by.
  expect(doubtful.map(([name]) => name)).toEqual(["unknown_dialect input"]);
  expect(isValidSchema({ type: "objekt" })).toBe(false);
});

verify(
  "schema/prefers-2020-12",
  "lists schemas in 2020-12 unless the author chose another dialect",
  async ({ shared }) => {
    const declaring = async (server: readonly string[]): Promise<readonly string[]> =>
      (await schemas(await shared(server)))
        .filter(
          ([, { $schema }]) =>
            ![undefined, "https://json-schema.org/draft/2020-12/schema"].includes($schema as string),
        )
        .map(([name]) => name);
    expect(await declaring(NOTES)).toEqual([]);
    expect(await declaring(LIBRARIES)).toEqual([]);
    expect(await declaring(EVERYTHING)).toEqual(["draft_07 input", "unknown_dialect input"]);
  },
);

verify(
  ["schema/no-network-ref", "schema/unresolved-ref-rejected"],
  "neither fetches nor overlooks a reference to elsewhere",
  async ({ open }) => {
    const requests: (string | undefined)[] = [];
    const web = createServer(({ url }, response) => {
      requests.push(url);
      response.setHeader("content-type", "application/json").end('{"type":"string"}');
    });
    await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void web.close());
    const address = `http://127.0.0.1:${(web.address() as AddressInfo).port}/word`;
    const wire = await open({ env: { REMOTE_SCHEMA: address } });
    const tool = (await listTools(wire)).find(({ name }) => name === "remote_reference");
    expect(tool?.inputSchema).toMatchObject({ properties: { word: { $ref: address } } });
    for (const args of [{}, { word: "x" }, { word: 1 }]) {
      const { error } = await callTool(wire, "remote_reference", args);
      expect(error?.code).toBe(-32603);
      expect(error?.message).toContain("other documents are never loaded");
    }
    expect((await journalOf(wire)).ran).toEqual([]);
    await wire.quiet(100);
    expect(requests).toEqual([]);
    await fetch(address);
    expect(requests).toEqual(["/word"]);
  },
);
