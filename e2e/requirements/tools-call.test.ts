import { satisfies } from "@suite/check";
import { callTool, capabilitiesOf, contentOf, isModern, listTools, textOf } from "@suite/check/wires";
import { expect } from "vitest";

import { LIBRARIES } from "../support/servers.ts";
import { freshJournal } from "./fresh-journal.ts";
import { verify } from "./verify.ts";

/** Tools with an output schema that succeed, and what each gives. */
const OUTPUTS: { readonly [name: string]: unknown } = {
  object_output: { city: "Bern", degrees: 21.5 },
  array_output: ["one", ["two"]],
  primitive_output: 42,
  null_output: null,
};

verify(
  "tools/structured-content-conforms",
  "gives structured content that its own listed schema accepts",
  async ({ shared, revision }) => {
    const wire = await shared();
    const tools = await listTools(wire);
    for (const [name, value] of Object.entries(OUTPUTS)) {
      const { result } = await callTool(wire, name);
      const outputSchema = tools.find((tool) => tool.name === name)?.outputSchema ?? {};
      const isWrapped = !isModern(revision) && name !== "object_output";
      expect(result?.["structuredContent"], name).toEqual(isWrapped ? { result: value } : value);
      expect(satisfies(outputSchema, result?.["structuredContent"]), name).toBe(true);
      expect(satisfies(outputSchema, { unheard: 1 }), name).toBe(false);
    }
    const broken = await callTool(wire, "broken_output");
    expect(broken.result).toMatchObject({ isError: true });
    expect(broken.result).not.toHaveProperty("structuredContent");
  },
);

verify("tools/structured-content-conforms", "holds for schemas of every library", async ({ open }) => {
  const wire = await open({ server: LIBRARIES });
  for (const { name, outputSchema } of await listTools(wire)) {
    if (outputSchema === undefined) continue;
    const { result } = await callTool(wire, name, { word: "ab" });
    expect(result?.["structuredContent"], name).toEqual({ text: "abab" });
    expect(satisfies(outputSchema, { text: "abab" })).toBe(true);
    expect(satisfies(outputSchema, { text: 1 })).toBe(false);
    expect((await callTool(wire, name, { word: "a" })).result).toMatchObject({ isError: true });
  }
});

verify(
  "tools/structured-content-as-text",
  "says structured content in a text block too",
  async ({ shared }) => {
    const wire = await shared();
    for (const [name, value] of Object.entries(OUTPUTS)) {
      const response = await callTool(wire, name);
      expect(contentOf(response).map(({ type }) => type)).toEqual(["text"]);
      expect(JSON.parse(textOf(response)), name).toEqual(value);
    }
  },
);

verify(
  "tools/embedded-resource-needs-capability",
  "declares resources when tools embed some",
  async ({ shared }) => {
    const wire = await shared();
    const blocks = contentOf(await callTool(wire, "every_content"));
    expect(blocks.filter(({ type }) => type === "resource")).toHaveLength(2);
    expect(await capabilitiesOf(wire)).toHaveProperty("resources");
  },
);

verify("tools/inputs-validated", "keeps wrong arguments from the tool", async ({ shared }) => {
  const wire = await shared();
  const journal = await freshJournal(wire);
  const wrong = [{}, { kind: "other" }, { kind: "order", code: "ab" }, { kind: "order", pair: {} }];
  for (const args of wrong) {
    expect((await callTool(wire, "every_keyword", args)).result, JSON.stringify(args)).toMatchObject({
      isError: true,
    });
  }
  expect((await callTool(wire, "no_arguments", { unheard: 1 })).result).toMatchObject({ isError: true });
  expect((await journal()).ran).toEqual([]);
  await callTool(wire, "every_keyword", { kind: "order" });
  await callTool(wire, "no_arguments");
  await wire.request("tools/call", { name: "no_arguments", arguments: null });
  await wire.request("tools/call", { name: "no_arguments" });
  expect((await journal()).ran).toEqual(["every_keyword", "no_arguments", "no_arguments", "no_arguments"]);
});

verify(
  "tools/bad-arguments-are-tool-errors",
  "tells the model which argument is wrong and why",
  async ({ shared }) => {
    const wire = await shared();
    const missing = await callTool(wire, "Echo.text-1", {});
    expect(missing.result).toMatchObject({ isError: true });
    expect(textOf(missing)).toMatch(/text.*required|required.*text/s);
    const wrong = await callTool(wire, "slow", { ms: "soon" });
    expect(wrong.result).toMatchObject({ isError: true });
    expect(textOf(wrong)).toMatch(/ms.*integer/s);
  },
);

verify(
  "tools/unknown-tool-is-invalid-params",
  "refuses an unknown tool as a protocol error",
  async ({ shared }) => {
    const wire = await shared();
    for (const name of ["nobody", "", "toString", "__proto__"]) {
      const { error, result } = await callTool(wire, name);
      expect(result).toBeUndefined();
      expect(error).toEqual({ code: -32602, message: `Unknown tool: ${name}` });
    }
  },
);

verify(
  "tools/malformed-call-is-protocol-error",
  "refuses malformed params as a protocol error",
  async ({ shared }) => {
    const wire = await shared();
    const journal = await freshJournal(wire);
    const wrong = [
      {},
      { name: 5 },
      { name: null },
      { arguments: {} },
      { name: "no_arguments", arguments: "x" },
      { name: "no_arguments", arguments: [] },
    ];
    for (const params of wrong) {
      const { error, result } = await wire.request("tools/call", params);
      expect(result).toBeUndefined();
      const field = "arguments" in params && "name" in params ? "arguments" : "name";
      const message = `${field} must be ${field === "name" ? "a string" : "an object"}`;
      expect(error, JSON.stringify(params)).toEqual({ code: -32602, message });
    }
    expect((await journal()).ran).toEqual([]);
  },
);

verify("tools/failure-in-result", "answers with a result when a tool fails", async ({ shared }) => {
  const wire = await shared();
  const failures = {
    fail_for_the_model: "The shelf is empty",
    fail_by_accident: "Something broke",
    broken_output: "does not match its output schema",
    failed_output: "No sum today.",
  };
  for (const [name, text] of Object.entries(failures)) {
    const response = await callTool(wire, name);
    expect(response.error, name).toBeUndefined();
    expect(response.result, name).toMatchObject({ isError: true });
    expect(textOf(response)).toContain(text);
  }
  expect((await callTool(wire, "fail_as_protocol")).error).toEqual({
    code: -31999,
    message: "Refused by the protocol",
    data: { why: "test" },
  });
});

verify(
  "tools/name-case-sensitive",
  "takes a name in other letter case for another name",
  async ({ shared }) => {
    const wire = await shared();
    expect((await callTool(wire, "Echo.text-1", { text: "x" })).result).toBeDefined();
    for (const name of ["echo.text-1", "ECHO.TEXT-1", "Echo.Text-1", "Echo.text-1 "]) {
      expect((await callTool(wire, name, { text: "x" })).error?.code, name).toBe(-32602);
    }
  },
);
