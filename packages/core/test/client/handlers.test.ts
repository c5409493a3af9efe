import { describe, expect, it } from "vitest";
import { answer, capabilitiesOf, type ClientHandlers } from "../../src/client/handlers.ts";
import type { ElicitResult } from "../../src/model/asking.ts";

const { signal } = new AbortController();
const FORM = {
  message: "Who?",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 0 },
      verified: { type: "boolean", default: false },
      tags: { type: "array", items: { type: "string" }, default: [] },
      motto: { type: "string" },
    },
  },
};

const elicit = (result: ElicitResult, params: object = FORM): Promise<object> =>
  answer({ elicit: () => result }, "elicitation/create", params as never, signal);

describe("an answer to a form", () => {
  it("has the defaults of the fields that it leaves out, falsy ones too", async () => {
    expect(await elicit({ action: "accept", content: { age: 7 } })).toEqual({
      action: "accept",
      content: { name: "John Doe", age: 7, verified: false, tags: [] },
    });
    expect(await elicit({ action: "accept" })).toMatchObject({ content: { name: "John Doe" } });
  });

  it("leaves empty what was emptied on purpose", async () => {
    const content = { name: undefined } as unknown as NonNullable<ElicitResult["content"]>;
    const sent = JSON.parse(JSON.stringify(await elicit({ action: "accept", content }))) as ElicitResult;
    expect(Object.keys(sent.content ?? {})).toEqual(["age", "verified", "tags"]);
  });

  it.each([
    ["declined", { action: "decline" } as const, FORM],
    ["cancelled", { action: "cancel" } as const, FORM],
    [
      "about a page",
      { action: "accept" } as const,
      { mode: "url", message: "Go", url: "https://example.org" },
    ],
  ])("stays as it is when %s", async (_, result, params) => {
    expect(await elicit(result, params)).toEqual(result);
  });
});

describe("a client", () => {
  it("declares what it has handlers for, and refuses the rest", async () => {
    const handlers: ClientHandlers = { roots: () => [{ uri: "file:///a" }] };
    expect(capabilitiesOf(handlers)).toEqual({ roots: { listChanged: true } });
    expect(await answer(handlers, "roots/list", {}, signal)).toEqual({ roots: [{ uri: "file:///a" }] });
    await expect(answer(handlers, "elicitation/create", FORM, signal)).rejects.toThrow("Method not found");
  });
});
