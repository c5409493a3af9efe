import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  defineTool,
  type CreateMessageResult,
  type FormAnswer,
  type Root,
  type UrlAnswer,
} from "../../src/index.ts";

describe("what the client is asked", () => {
  it("comes back in the type of the question", () => {
    const tool = defineTool({
      name: "ask",
      description: "…",
      async run(_input, { elicit, sample, roots }) {
        const form = await elicit({
          message: "Who?",
          schema: z.object({ name: z.string(), age: z.number().optional() }),
        });
        expectTypeOf(form).toEqualTypeOf<FormAnswer<{ name: string; age?: number | undefined }>>();
        if (form.action === "accept") expectTypeOf(form.content.name).toBeString();
        // @ts-expect-error nothing was filled in unless it was accepted
        expectTypeOf(form.content).not.toBeAny();
        const plain = await elicit({
          message: "Sure?",
          schema: { type: "object", properties: { sure: { type: "boolean" } }, required: ["sure"] } as const,
        });
        expectTypeOf(plain).toEqualTypeOf<FormAnswer<{ readonly sure: boolean }>>();
        const visit = await elicit({ message: "Log in", url: "https://example.com" });
        expectTypeOf(visit).toEqualTypeOf<UrlAnswer>();
        const sampled = await sample({
          messages: [{ role: "user", content: { type: "text", text: "Hi" } }],
          maxTokens: 9,
        });
        expectTypeOf(sampled).toEqualTypeOf<CreateMessageResult>();
        expectTypeOf(await roots()).toEqualTypeOf<readonly Root[]>();
        // @ts-expect-error a question needs a message
        await elicit({ schema: z.object({}) });
        // @ts-expect-error the model needs a limit
        await sample({ messages: [] });
        return "x";
      },
    });
    expect(tool.name).toBe("ask");
  });
});
