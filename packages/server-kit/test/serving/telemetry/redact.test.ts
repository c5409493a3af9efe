import { expect, it } from "vitest";

import { createRedact } from "../../../src/serving/telemetry/redact.ts";

it("takes secrets out of texts, lists and objects", () => {
  const redact = createRedact(["abc", "abcdef"]);
  expect(redact("x abcdef, abc!")).toBe("x [hidden], [hidden]!");
  expect(redact({ a: ["abc", 1, null], b: { "x-abc": "abcdef" } })).toEqual({
    a: ["[hidden]", 1, null],
    b: { "x-[hidden]": "[hidden]" },
  });
});

it("leaves everything alone when there are no secrets", () => {
  const data = { a: "abc" };
  expect(createRedact([])(data)).toBe(data);
});

it("takes an empty secret for none", () => {
  expect(createRedact(["", "abc"])("x abc")).toBe("x [hidden]");
  expect(createRedact([""])("xyz")).toBe("xyz");
});

it("shows what JSON would show of dates, errors and things that contain themselves", () => {
  const redact = createRedact(["abc"]);
  const loop: { self?: unknown; twice: readonly unknown[] } = { twice: [] };
  const shared = { text: "abc" };
  loop.self = loop;
  loop.twice = [shared, shared];
  expect(redact(loop)).toEqual({ self: "[circular]", twice: [{ text: "[hidden]" }, { text: "[hidden]" }] });
  expect(redact({ at: new Date(0), url: new URL("http://abc/") })).toEqual({
    at: "1970-01-01T00:00:00.000Z",
    url: "http://[hidden]/",
  });
  expect(redact(new TypeError("no abc"))).toEqual({ name: "TypeError", message: "no [hidden]" });
});
