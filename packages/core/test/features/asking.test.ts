import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  checkCapabilities,
  formQuestion,
  InvalidAnswer,
  rootsQuestion,
  urlQuestion,
  type Question,
} from "../../src/features/asking.ts";
import type { ClientCapabilities } from "../../src/model/capabilities.ts";

const FORM = formQuestion({
  message: "Who?",
  schema: z.object({ name: z.string(), age: z.number().default(7) }),
});
const URL = urlQuestion({ message: "Log in", url: "https://example.com" });

const isAllowed = (question: Question<unknown>, declared: ClientCapabilities): boolean => {
  try {
    checkCapabilities(question, declared);
    return true;
  } catch {
    return false;
  }
};

describe("what a client must have declared", () => {
  it.each<[ClientCapabilities, { form: boolean; url: boolean; roots: boolean }]>([
    [{}, { form: false, url: false, roots: false }],
    [{ roots: {} }, { form: false, url: false, roots: true }],
    [{ elicitation: {} }, { form: true, url: false, roots: false }],
    [{ elicitation: { form: {} } }, { form: true, url: false, roots: false }],
    [{ elicitation: { url: {} } }, { form: false, url: true, roots: false }],
    [{ elicitation: { form: {}, url: {} } }, { form: true, url: true, roots: false }],
  ])("with %j", (declared, expected) => {
    const allowed = {
      form: isAllowed(FORM, declared),
      url: isAllowed(URL, declared),
      roots: isAllowed(rootsQuestion, declared),
    };
    expect(allowed).toEqual(expected);
  });

  it("is named in the refusal", () => {
    const refusal = expect.objectContaining({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    }) as Error;
    expect(() => checkCapabilities(URL, {})).toThrow(refusal);
  });
});

describe("the answer to a form", () => {
  it("is what validation makes of it", async () => {
    expect(await FORM.readAnswer({ action: "accept", content: { name: "Ada" } })).toEqual({
      action: "accept",
      content: { name: "Ada", age: 7 },
    });
  });

  it.each(["decline", "cancel"])("has no content after %s", async (action) => {
    expect(await FORM.readAnswer({ action, content: { name: "Ada" } })).toEqual({ action });
  });

  it.each([
    null,
    7,
    "accept",
    [],
    {},
    { action: "ACCEPT" },
    { action: "accept" },
    { action: "accept", content: { name: 7 } },
  ])("is not %j", async (answer) => {
    await expect(FORM.readAnswer(answer)).rejects.toBeInstanceOf(InvalidAnswer);
  });
});

describe("the answer to a URL", () => {
  it("is what the person did, and no more", () => {
    expect(URL.readAnswer({ action: "accept", content: { token: "secret" } })).toEqual({ action: "accept" });
  });
});
