import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  INTERNAL_ERROR,
  invalidParams,
  methodNotFound,
  parseError,
  ProtocolError,
  resourceNotFound,
  shorten,
  toErrorObject,
} from "../../src/jsonrpc/error.ts";

const SECRET = "token sk-12345 in /home/ada/.ssh/id_ed25519";

describe("toErrorObject", () => {
  it("lets a ProtocolError speak for itself", () => {
    expect(toErrorObject(new ProtocolError(-32001, "Said", { why: "so" }))).toEqual({
      code: -32001,
      message: "Said",
      data: { why: "so" },
    });
  });

  it("leaves out data that is not there, and keeps data that is null", () => {
    expect(toErrorObject(parseError("no"))).toEqual({ code: -32700, message: "no" });
    expect(toErrorObject(new ProtocolError(1, "no", null))).toEqual({ code: 1, message: "no", data: null });
  });

  it("keeps a ProtocolError's cause and stack to itself", () => {
    const error = new ProtocolError(1, "Said", undefined, { cause: new Error(SECRET) });
    expect(JSON.stringify(toErrorObject(error))).toBe('{"code":1,"message":"Said"}');
  });

  it.each([
    ["an Error", new Error(SECRET)],
    ["an Error with a code", Object.assign(new Error(SECRET), { code: -32001, data: SECRET })],
    ["text", SECRET],
    ["an object like an error", { code: -32001, message: SECRET, data: SECRET }],
    ["nothing", undefined],
  ])("says nothing of %s, and reports it instead", (_what, thrown) => {
    const reported: unknown[] = [];
    expect(toErrorObject(thrown, (what) => reported.push(what))).toEqual({
      code: INTERNAL_ERROR,
      message: "Internal error",
    });
    expect(reported).toEqual([thrown]);
  });

  it("leaks nothing of any plain Error's text", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        expect(toErrorObject(new TypeError(text))).toEqual({ code: -32603, message: "Internal error" });
      }),
    );
  });

  it("reports no ProtocolError", () => {
    const reported: unknown[] = [];
    toErrorObject(invalidParams("no"), (what) => reported.push(what));
    expect(reported).toEqual([]);
  });
});

describe("what a peer chose", () => {
  it("is repeated in part only", () => {
    const long = "x".repeat(100_000);
    expect(methodNotFound(long).message.length).toBeLessThan(300);
    expect(resourceNotFound(long).message.length).toBeLessThan(300);
    expect(shorten("short")).toBe("short");
    expect(shorten("x".repeat(201))).toBe(`${"x".repeat(200)}…`);
  });
});
