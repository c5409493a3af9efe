import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classify, type MessageReceiver } from "../../src/jsonrpc/classify.ts";

interface Heard {
  readonly as: keyof MessageReceiver<unknown>;
  readonly code?: number;
  readonly id?: unknown;
  readonly route: unknown;
}

function hear(value: unknown): Heard[] {
  const heard: Heard[] = [];
  const receiver: MessageReceiver<string> = {
    request: ({ id }, route) => heard.push({ as: "request", id, route }),
    notification: (_message, route) => heard.push({ as: "notification", route }),
    response: ({ id }, route) => heard.push({ as: "response", id, route }),
    malformed: ({ code }, id, route) => heard.push({ as: "malformed", code, id, route }),
  };
  classify(value, receiver, "the way it came");
  return heard;
}

const kindOf = (value: unknown): string | undefined => hear(value)[0]?.as;

const REQUEST = { jsonrpc: "2.0", id: 1, method: "ping" };
const WRONG_IDS = [null, true, false, 1.5, 2 ** 53, -(2 ** 53), 1e300, [], [1], {}, { id: 1 }];

describe("classify", () => {
  it.each([
    [REQUEST, "request"],
    [{ ...REQUEST, id: 0 }, "request"],
    [{ ...REQUEST, id: -7 }, "request"],
    [{ ...REQUEST, id: "" }, "request"],
    [{ ...REQUEST, id: Number.MAX_SAFE_INTEGER }, "request"],
    [{ ...REQUEST, params: {} }, "request"],
    [{ jsonrpc: "2.0", method: "notifications/initialized" }, "notification"],
    [{ jsonrpc: "2.0", method: "__proto__", params: {} }, "notification"],
    [{ jsonrpc: "2.0", id: 1, result: {} }, "response"],
    [{ jsonrpc: "2.0", id: 1, error: { code: -1, message: "no" } }, "response"],
    [{ jsonrpc: "2.0", error: { code: -32700, message: "no id could be read" } }, "response"],
  ])("takes %j for a %s", (value, kind) => {
    expect(kindOf(value)).toBe(kind);
  });

  it("passes the way a message came by along", () => {
    expect(hear(REQUEST)).toEqual([{ as: "request", id: 1, route: "the way it came" }]);
  });

  it("takes an error with a null id for a response, as JSON-RPC writes it, and never answers it", () => {
    expect(kindOf({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "bad" } })).toBe("response");
  });

  it.each(WRONG_IDS)("refuses a request with the id %j, without repeating it", (id) => {
    expect(hear({ ...REQUEST, id })).toMatchObject([{ as: "malformed", code: -32600, id: undefined }]);
  });

  it.each(WRONG_IDS)("refuses a result with the id %j", (id) => {
    expect(hear({ jsonrpc: "2.0", id, result: {} })).toMatchObject([{ as: "malformed", code: -32600 }]);
  });

  it.each([
    [{ jsonrpc: "2.0" }],
    [{ jsonrpc: "2.0", id: 1 }],
    [{ jsonrpc: "2.0", id: 1, result: [] }],
    [{ jsonrpc: "2.0", id: 1, result: {}, error: { code: 1, message: "both" } }],
    [{ jsonrpc: "2.0", id: 1, error: "text" }],
    [{ jsonrpc: "2.0", id: 1, error: { code: "1", message: "code is text" } }],
    [{ jsonrpc: "2.0", id: 1, error: { code: 1.5, message: "code is a fraction" } }],
    [{ jsonrpc: "2.0", id: 1, error: { code: 1 } }],
    [[REQUEST]],
    ["ping"],
    [null],
    [42],
  ])("refuses %j", (value) => {
    expect(hear(value)).toMatchObject([{ as: "malformed", code: -32600, id: undefined }]);
  });

  it.each([
    [{ id: 1, method: "ping" }],
    [{ ...REQUEST, jsonrpc: "1.0" }],
    [{ ...REQUEST, jsonrpc: 2 }],
    [{ ...REQUEST, method: 7 }],
    [{ ...REQUEST, method: null }],
  ])("refuses %j by its id, which can still be read", (value) => {
    expect(hear(value)).toMatchObject([{ as: "malformed", code: -32600, id: 1 }]);
  });

  it.each([null, [], "text", 1, true])("answers a request with params %j by its id", (params) => {
    expect(hear({ ...REQUEST, params })).toMatchObject([{ as: "malformed", code: -32602, id: 1 }]);
  });

  it.each([null, [], "text", 1, true])("ignores a notification with params %j", (params) => {
    expect(hear({ jsonrpc: "2.0", method: "notifications/progress", params })).toEqual([]);
  });
});

describe("classify, for anything", () => {
  const member = fc.oneof(fc.jsonValue(), fc.string(), fc.integer(), fc.constant({}));
  const almostMessage = fc.record(
    {
      jsonrpc: fc.constantFrom("2.0", "1.0"),
      id: member,
      method: member,
      params: member,
      result: member,
      error: member,
    },
    { requiredKeys: [] },
  );

  it("calls exactly one method, or none for a wrong notification", () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), almostMessage), (value) => {
        const heard = hear(value);
        if (heard.length === 1) return;
        expect(heard).toEqual([]);
        expect(value).toMatchObject({ jsonrpc: "2.0", method: expect.any(String) as string });
        expect(value).not.toHaveProperty("id");
      }),
      { numRuns: 2000 },
    );
  });
});
