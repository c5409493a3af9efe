import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Context } from "../../src/index.ts";
import type { Params } from "../../src/jsonrpc/message.ts";
import { openLine, type Line } from "../../src/testing.ts";
import { MODERN } from "../revisions.ts";
import { resultOf } from "../transcript.ts";
import { accept, askName, MODERN_CAPABILITIES as capabilities, serverOf } from "./asking.ts";

const open = (run: (context: Context) => unknown): Promise<Line> =>
  openLine(serverOf({ ask: run }), { revision: MODERN, capabilities });

const call = async (line: Line, more: Params = {}): Promise<Params> =>
  resultOf(await line.request("tools/call", { name: "ask", ...more }));

describe("a question", () => {
  it("may be answered before it was asked, by a client that carries no state", async () => {
    const line = await open((context) => askName(context, "user"));
    const done = await call(line, { inputResponses: { user: accept({ name: "Ada" }) } });
    expect(done).toMatchObject({ content: [{ text: "Ada" }] });
  });

  it("is not answered by the answer to another one of the same name", async () => {
    let files = 3;
    const line = await open(async ({ elicit }) => {
      const schema = {
        type: "object",
        properties: { sure: { type: "boolean" } },
        required: ["sure"],
      } as const;
      const { action } = await elicit({ message: `Delete ${files} files?`, schema }, { key: "sure" });
      return `${action} ${files}`;
    });
    const { requestState } = await call(line);
    files = 3000;
    const again = await call(line, { requestState, inputResponses: { sure: accept({ sure: true }) } });
    expect(again).toMatchObject({
      resultType: "input_required",
      inputRequests: { sure: { params: { message: "Delete 3000 files?" } } },
    });
    const later = { requestState: again["requestState"], inputResponses: { sure: accept({ sure: true }) } };
    expect(await call(line, later)).toMatchObject({ content: [{ text: "accept 3000" }] });
  });

  it("is told from another one with the same key", async () => {
    const line = await open(async (context) => {
      const names = await Promise.all([askName(context, "user"), askName(context, "user")]);
      return names.join(" ");
    });
    const { requestState, inputRequests } = await call(line);
    expect(Object.keys(inputRequests as object)).toEqual(["user", "user#2"]);
    const inputResponses = { user: accept({ name: "Ada" }), "user#2": accept({ name: "Bob" }) };
    expect(await call(line, { requestState, inputResponses })).toMatchObject({
      content: [{ text: "Ada Bob" }],
    });
  });

  it("may be asked before another is waited for", async () => {
    const schema = { type: "object", properties: {} } as const;
    const line = await open(async ({ elicit }) => {
      const [one, two] = ["one", "two"].map((key) => elicit({ message: key, schema }, { key }));
      return `${(await one)?.action} ${(await two)?.action}`;
    });
    const { inputRequests } = await call(line);
    expect(Object.keys(inputRequests as object)).toEqual(["one", "two"]);
  });

  it("keeps its place among others, however long it is", async () => {
    const line = await open(async ({ elicit }) => {
      const messages = ["x".repeat(20_000_000), "short", "shorter"];
      await Promise.all(
        messages.map((message, at) => elicit({ message, schema: z.object({}) }, { key: `q${at}` })),
      );
    });
    expect(Object.keys((await call(line))["inputRequests"] as object)).toEqual(["q0", "q1", "q2"]);
  });

  it("may be named like a member of objects", async () => {
    const line = await open((context) => askName(context, "__proto__"));
    const { requestState } = await call(line);
    const inputResponses = JSON.parse('{"__proto__":{"action":"accept","content":{"name":"Ada"}}}') as Params;
    expect(await call(line, { requestState, inputResponses })).toMatchObject({ content: [{ text: "Ada" }] });
  });
});

describe("a handler that swallows the interruption", () => {
  it.each<[string, (context: Context) => unknown]>([
    ["with a catch", async (context) => askName(context, "user").catch(() => "never mind")],
    [
      "by throwing something else",
      async (context) =>
        askName(context, "user").catch(() => {
          throw new Error("other");
        }),
    ],
    ["by not waiting", (context) => (void askName(context, "user").catch(() => undefined), "at once")],
    [
      "by not waiting, later",
      async (context) => (void askName(context, "user").catch(() => undefined), "later"),
    ],
  ])("still asks: %s", async (_how, run) => {
    const line = await open(run);
    expect(await call(line)).toMatchObject({ resultType: "input_required", inputRequests: { user: {} } });
  });
});
