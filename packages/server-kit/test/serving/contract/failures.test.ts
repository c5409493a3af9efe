import {
  type Call,
  Interruption,
  InvalidAnswer,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  invalidParams,
  MISSING_REQUIRED_CLIENT_CAPABILITY,
  ProtocolError,
  RESOURCE_NOT_FOUND,
  resourceNotFound,
  ToolError,
} from "@suite/core";
import { describe, expect, it } from "vitest";

import {
  ERROR_META,
  toCause,
  toFailedResult,
  toProtocolError,
  toUnknownTool,
} from "../../../src/serving/contract/failures.ts";
import { Fault, FAULT_CODES, type FaultCode } from "../../../src/domain/errors/fault.ts";
import { errorOf, hidePlanted, PLANTED, type Run, textOf, toolThat } from "./sample.ts";

const reported: unknown[] = [];
const telling = {
  redact: hidePlanted,
  report: (thrown: unknown): void => void reported.push(thrown),
  guide: (words: string): string => words,
};
const CODES = Object.keys(FAULT_CODES) as FaultCode[];

describe("a failed result", () => {
  it.each(CODES)("says its kind: %s", (code) => {
    const result = toFailedResult(new Fault(code, "It failed."), telling);
    expect(result).toEqual({
      content: [{ type: "text", text: "It failed." }],
      isError: true,
      _meta: { "dev.suite/error": { code, retryable: FAULT_CODES[code].retryable } },
    });
  });

  it("says what to do, when to try again, and what a program needs to know", () => {
    const fault = new Fault("rate_limited", "Too fast.", {
      hint: "Wait.",
      retryAfterMs: 1000,
      details: { limit: 5 },
    });
    const result = toFailedResult(fault, telling);
    expect(textOf(result)).toBe("Too fast.\nWait.");
    expect(errorOf(result)).toEqual({
      code: "rate_limited",
      retryable: true,
      retryAfterMs: 1000,
      hint: "Wait.",
      details: { limit: 5 },
    });
  });

  it("is the client's where its answer to a question was wrong, and no news to the operator", () => {
    const answer = new InvalidAnswer("The client answered the form with values that are not allowed");
    const before = reported.length;
    for (const thrown of [answer, new Error("Asked in vain", { cause: answer })]) {
      const { _meta } = toFailedResult(thrown, telling);
      expect(_meta).toMatchObject({ [ERROR_META]: { code: "invalid_input" } });
    }
    expect(reported).toHaveLength(before);
  });

  it("shows what is hidden in the names that it quotes", () => {
    expect(textOf(toFailedResult(new Fault("not_found", "a\u202Eb is not there."), telling))).toBe(
      "a\\u{202E}b is not there.",
    );
  });

  it("knows the errors of the system, and keeps inner paths to itself", () => {
    const error = Object.assign(new Error("ENOENT: no such file, open '/srv/inner'"), { code: "ENOENT" });
    const result = toFailedResult(error, telling);
    expect(errorOf(result)?.code).toBe("not_found");
    expect(JSON.stringify(result)).not.toContain("inner");
  });

  it("of a kind that nobody foresaw says nothing else, and its cause goes to the operator", () => {
    reported.length = 0;
    const error = new Error("cannot read properties of undefined");
    const result = toFailedResult(error, telling);
    expect(errorOf(result)).toEqual({ code: "internal", retryable: false });
    expect(textOf(result)).not.toContain("undefined");
    toFailedResult(new Fault("not_found", "x"), telling);
    expect(reported).toEqual([error]);
  });

  it("may be worded by a tool of the core", () => {
    const result = toFailedResult(new ToolError(`no ${PLANTED}`, { meta: { a: 1 } }), telling);
    expect(result).toMatchObject({ content: [{ text: "no [hidden]" }], isError: true, _meta: { a: 1 } });
  });

  it("has no secret in its words, its hint or its details", () => {
    const fault = new Fault("unavailable", `token ${PLANTED} refused`, {
      hint: `Not ${PLANTED}.`,
      details: { header: [`Bearer ${PLANTED}`] },
    });
    const text = JSON.stringify(toFailedResult(fault, telling));
    expect(text).not.toContain(PLANTED);
    expect(text).toContain("token [hidden] refused");
    expect(text).toContain("Bearer [hidden]");
  });
});

describe("an error of the protocol", () => {
  const at = (method: string, name?: string): Call => ({ method, name }) as unknown as Call;
  const errorFor = (thrown: unknown, call: Call): ProtocolError =>
    toProtocolError(thrown, call, telling) as ProtocolError;

  it.each<[FaultCode, string, number]>([
    ["not_found", "resources/read", RESOURCE_NOT_FOUND],
    ["not_found", "resources/subscribe", RESOURCE_NOT_FOUND],
    ["not_found", "prompts/get", INVALID_PARAMS],
    ["invalid_input", "resources/read", INVALID_PARAMS],
    ["permission_denied", "resources/read", INVALID_PARAMS],
    ["too_large", "resources/read", INVALID_PARAMS],
    ["timeout", "resources/read", INTERNAL_ERROR],
    ["unavailable", "prompts/get", INTERNAL_ERROR],
    ["internal", "completion/complete", INTERNAL_ERROR],
  ])("for %s in %s has the code %i", (code, method, expected) => {
    const error = errorFor(new Fault(code, "It\nfailed.", { hint: "Try\tless." }), at(method, "x:1"));
    expect(error).toBeInstanceOf(ProtocolError);
    expect(error.message).toBe("It failed. Try less.");
    expect(error.code).toBe(expected);
    expect(error.data).toEqual({
      ...(method.startsWith("resources/") && { uri: "x:1" }),
      "dev.suite/error": { code, retryable: FAULT_CODES[code].retryable, hint: "Try\tless." },
    });
  });

  it("has no secret in it", () => {
    const fault = new Fault("not_found", `no ${PLANTED}`, { details: { at: PLANTED } });
    const { message, data } = errorFor(fault, at("resources/read", `x:${PLANTED}`));
    expect(message).toBe("no [hidden]");
    expect(JSON.stringify(data)).not.toContain(PLANTED);
  });

  it("that the core has found gets its kind, too", () => {
    const missing = errorFor(resourceNotFound("x:1"), at("resources/read", "x:1"));
    expect(missing).toMatchObject({ code: RESOURCE_NOT_FOUND, message: "Resource not found: x:1" });
    expect(missing.data).toEqual({ uri: "x:1", "dev.suite/error": { code: "not_found", retryable: false } });
    const wrong = errorFor(invalidParams("Unknown prompt: x"), at("prompts/get", "x"));
    expect(wrong.data).toEqual({ "dev.suite/error": { code: "invalid_input", retryable: false } });
  });

  it("or an interruption that means something else passes as it is", () => {
    const others = [
      new Interruption(),
      new ProtocolError(MISSING_REQUIRED_CLIENT_CAPABILITY, "…", { requiredCapabilities: {} }),
      invalidParams("…", "a text"),
      invalidParams("…", { "dev.suite/error": { code: "conflict" } }),
    ];
    for (const thrown of others) expect(toProtocolError(thrown, at("resources/read"), telling)).toBe(thrown);
  });
});

describe("the cause of a failure", () => {
  const stopped = AbortSignal.abort(new Fault("timeout", "over"));

  it("is why the work was stopped, unless the work has a better word", () => {
    const thrown = new Error("aborted");
    expect(toCause(thrown, stopped)).toBe(stopped.reason);
    expect(toCause(thrown, new AbortController().signal)).toBe(thrown);
    const better = new Fault("timeout", "3 of 5 are done");
    expect(toCause(better, stopped)).toBe(better);
  });
});

describe("a tool that is not there", () => {
  const unusedRun: Run = () => expect.unreachable();
  const offered = [
    toolThat(unusedRun, { name: "read_file", alsoKnownAs: ["cat", "open"] }),
    toolThat(unusedRun, { name: "write_file", alsoKnownAs: ["open"] }),
  ];
  const whyWithheld = (name: string): string | undefined => (name === "write_fil" ? " (because)" : undefined);
  const renamed = new Map([
    ["put_file", "write_fil"],
    ["cat", "write_fil"],
  ]);

  it.each([
    ["reed_file", "Unknown tool: reed_file (did you mean read_file?)", "not_found"],
    ["cat", "Unknown tool: cat (did you mean read_file?)", "not_found"],
    ["open", "Unknown tool: open (did you mean read_file or write_file?)", "not_found"],
    ["zebra", "Unknown tool: zebra", "not_found"],
    ["write_fil", "Unknown tool: write_fil (because)", "permission_denied"],
    ["put_file", "Unknown tool: put_file, now write_fil (because)", "permission_denied"],
    ["a\nb\u202E", "Unknown tool: a b\\u{202E}", "not_found"],
  ])("%j", (name, message, code) => {
    expect(toUnknownTool(name, { offered, whyWithheld, renamed })).toMatchObject({
      code: INVALID_PARAMS,
      message,
      data: { "dev.suite/error": { code, retryable: false } },
    });
  });

  it("may have any name without taking anybody's time", () => {
    const { message } = toUnknownTool("read_file".repeat(1_000_000), { offered, whyWithheld, renamed });
    expect(message.length).toBeLessThan(200);
  });
});
