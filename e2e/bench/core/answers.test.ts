import { describe, expect, it } from "vitest";
import type { Era } from "@suite/core";
import { checkEchoAnswers, checkOpening, checkToolsList } from "./answers.ts";
import { textOf } from "./messages.ts";

function toBytes(...answers: object[]): Buffer {
  return Buffer.from(answers.map((answer) => `${JSON.stringify({ jsonrpc: "2.0", ...answer })}\n`).join(""));
}

function echo(id: number, extra: object = {}): object {
  const text = textOf(id);
  return { id, result: { content: [{ type: "text", text }], structuredContent: { text }, ...extra } };
}

function check(era: Era, ...answers: object[]): () => void {
  return () => checkEchoAnswers(toBytes(...answers), 5, 2, era);
}

describe("checkEchoAnswers", () => {
  it("accepts each call answered once, in any order", () => {
    expect(check("legacy", echo(6), echo(5))).not.toThrow();
    const complete = { resultType: "complete" };
    expect(check("modern", echo(5, complete), echo(6, complete))).not.toThrow();
  });

  it.each<[string, Era, object[]]>([
    ["a missing answer", "legacy", [echo(5)]],
    ["a second answer", "legacy", [echo(5), echo(5)]],
    ["an answer too many", "legacy", [echo(5), echo(6), echo(7)]],
    ["a notification among the answers", "legacy", [echo(5), { method: "notifications/message" }]],
    ["an error", "legacy", [echo(5), { id: 6, error: { code: -32603, message: "no" } }]],
    ["a tool error", "legacy", [echo(5), echo(6, { isError: true })]],
    ["another's text", "legacy", [echo(5), { ...echo(5), id: 6 }]],
    ["no structured content", "legacy", [echo(5), echo(6, { structuredContent: undefined })]],
    ["an id spelled as text", "legacy", [echo(5), { ...echo(6), id: "6" }]],
    ["a legacy answer in the modern era", "modern", [echo(5), echo(6)]],
    ["a modern answer in the legacy era", "legacy", [echo(5), echo(6, { resultType: "complete" })]],
  ])("rejects %s", (_, era, answers) => {
    expect(check(era, ...answers)).toThrow("wrong answer");
  });

  it("rejects what is not JSON", () => {
    expect(() => checkEchoAnswers(Buffer.from("listening\n"), 0, 1, "legacy")).toThrow("not JSON");
  });
});

describe("checkOpening", () => {
  it("asks for the revision of the era", () => {
    const legacy = toBytes({ id: 0, result: { protocolVersion: "2025-06-18" } });
    const modern = toBytes({ id: 0, result: { supportedVersions: ["2025-06-18", "2026-07-28"] } });
    expect(() => checkOpening(legacy, "legacy")).not.toThrow();
    expect(() => checkOpening(modern, "modern")).not.toThrow();
    expect(() => checkOpening(legacy, "modern")).toThrow("revision");
    expect(() =>
      checkOpening(toBytes({ id: 0, result: { protocolVersion: "2024-11-05" } }), "legacy"),
    ).toThrow("revision");
  });
});

describe("checkToolsList", () => {
  const tool = { name: "echo", inputSchema: {}, outputSchema: {} };

  it("accepts the echo tool with both schemas", () => {
    expect(() => checkToolsList(toBytes({ id: 1, result: { tools: [tool] } }))).not.toThrow();
  });

  it.each([
    ["no tool", []],
    ["another tool", [{ ...tool, name: "reverse" }]],
    ["a tool too many", [tool, tool]],
    ["no output schema", [{ name: "echo", inputSchema: {} }]],
  ])("rejects %s", (_, tools) => {
    expect(() => checkToolsList(toBytes({ id: 1, result: { tools } }))).toThrow("echo tool");
  });
});
