import { describe, expect, it } from "vitest";

import { parseMessage } from "../../src/jsonrpc/parse-json.ts";

const MILLION = 1_000_000;
const nest = (open: string, close: string): string => `${open.repeat(MILLION)}1${close.repeat(MILLION)}`;

describe("a message with more than a million lists and objects", () => {
  it.each([
    ["in a list", `[${"{},".repeat(MILLION)}{}]`],
    ["in an object", `{${'"a":[],'.repeat(MILLION)}"a":1}`],
    ["in each other, lists", `[${nest("[", "]")}]`],
    ["in each other, objects", `{"a":${nest('{"a":', "}")}}`],
    ["behind strings", `["\\\\","\\"",${"[],".repeat(MILLION)}1]`],
  ])("is refused: %s", (_, text) => {
    expect(parseMessage(text)).toMatchObject({ code: -32600, message: expect.stringContaining("1000000") });
  });
});

describe("a message with a long text", () => {
  it.each([",", "[{", '"', "\\", '\\"', 'a line, with "quotes" and [brackets]\n'])(
    "may hold any number of %j",
    (piece) => {
      const message = { text: piece.repeat(MILLION + 1), more: [1, "2"] };
      expect(parseMessage(JSON.stringify(message))).toEqual(message);
    },
  );

  it("is a parse error if the text does not end", () => {
    expect(parseMessage(`["${"\\\\,".repeat(MILLION)}`)).toMatchObject({ code: -32700 });
  });
});

it("a million lists and objects are read, and more of other values", () => {
  expect(parseMessage(`[${"{},".repeat(MILLION - 1)}1]`)).toHaveLength(MILLION);
  expect(parseMessage(`[${"1,".repeat(MILLION)}1]`)).toHaveLength(MILLION + 1);
});
