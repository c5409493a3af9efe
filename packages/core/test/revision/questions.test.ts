import { describe, expect, it } from "vitest";
import { dialectOf } from "../../src/revision/revisions.ts";
import type { Params } from "../../src/jsonrpc/message.ts";
import { isFrom, MODERN, REVISIONS } from "../revisions.ts";

const encode = (revision: string, method: string, params: Params): Params => {
  const dialect = dialectOf(revision);
  if (!dialect) throw new Error(`No dialect for ${revision}`);
  return dialect.encodeQuestion(method, params);
};

const FORM = {
  mode: "form",
  message: "Fill in",
  requestedSchema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    additionalProperties: false,
    properties: {
      name: { type: "string", default: "Ada", minLength: 1 },
      on: { type: "boolean", default: true },
      color: { type: "string", oneOf: [{ const: "r", title: "Red" }], default: "r" },
    },
    required: ["name"],
  },
};

describe.each(["2025-06-18", "2025-11-25", MODERN])("a form in %s", (revision) => {
  it("has the fields that the revision can show", () => {
    const { requestedSchema, mode, message } = encode(revision, "elicitation/create", FORM);
    const isRich = isFrom(revision, "2025-11-25");
    expect({ mode, message }).toEqual({ mode: isRich ? "form" : undefined, message: "Fill in" });
    expect(requestedSchema).toEqual({
      type: "object",
      required: ["name"],
      properties: isRich
        ? FORM.requestedSchema.properties
        : {
            name: { type: "string", minLength: 1 },
            on: { type: "boolean", default: true },
            color: { type: "string", enum: ["r"], enumNames: ["Red"] },
          },
    });
  });

  it("takes several choices from 2025-11-25 on", () => {
    const properties = { tags: { type: "array", items: { type: "string", enum: ["a"] } } };
    const requestedSchema = { type: "object", properties };
    let outcome: unknown;
    try {
      outcome = encode(revision, "elicitation/create", { ...FORM, requestedSchema })["requestedSchema"];
    } catch (thrown) {
      outcome = (thrown as Error).message;
    }
    const refusal = expect.stringContaining("tags") as unknown;
    expect(outcome).toEqual(isFrom(revision, "2025-11-25") ? requestedSchema : refusal);
  });
});

describe("a URL to visit", () => {
  const url = { mode: "url", message: "Log in", url: "https://example.com" };

  it("has an id of its own in 2025-11-25 only", () => {
    const [one, two] = [1, 2].map(() => encode("2025-11-25", "elicitation/create", url));
    expect(one).toMatchObject(url);
    expect(one?.["elicitationId"]).not.toBe(two?.["elicitationId"]);
    expect(encode(MODERN, "elicitation/create", url)).toEqual(url);
  });
});

describe.each(REVISIONS)("sampling in %s", (revision) => {
  const sample = (content: unknown, more: object = {}): Params =>
    encode(revision, "sampling/createMessage", {
      maxTokens: 9,
      messages: [{ role: "user", content, ...more }],
    });
  const text = { type: "text", text: "x" };

  it("takes one block of text", () => {
    expect(sample(text)).toEqual({ maxTokens: 9, messages: [{ role: "user", content: text }] });
  });

  it("takes a list of one, as a list where the revision has lists", () => {
    const content = isFrom(revision, "2025-11-25") ? [text] : text;
    expect(sample([text])).toMatchObject({ messages: [{ content }] });
  });

  it("takes audio from 2025-03-26, several blocks and tools from 2025-11-25 on", () => {
    const audio = { type: "audio", data: "", mimeType: "audio/wav" };
    const use = { type: "tool_use", id: "1", name: "t", input: {} };
    const outcome = (content: unknown): boolean => {
      try {
        return sample(content) !== undefined;
      } catch {
        return false;
      }
    };
    expect(outcome(audio)).toBe(isFrom(revision, "2025-03-26"));
    expect(outcome([text, text])).toBe(isFrom(revision, "2025-11-25"));
    expect(outcome(use)).toBe(isFrom(revision, "2025-11-25"));
  });

  it("leaves out metadata that the revision does not know", () => {
    const _meta = { "example.com/a": 1 };
    const annotations = { priority: 1, lastModified: "2025-01-01T00:00:00Z" };
    const [message] = sample({ ...text, _meta, annotations }, { _meta })["messages"] as Params[];
    const knows = isFrom(revision, "2025-06-18");
    expect(message?.["content"]).toEqual(
      knows ? { ...text, _meta, annotations } : { ...text, annotations: { priority: 1 } },
    );
    expect(message).toEqual({
      role: "user",
      content: message?.["content"],
      ...(isFrom(revision, "2025-11-25") && { _meta }),
    });
  });
});
