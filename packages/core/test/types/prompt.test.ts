import { describe, expect, expectTypeOf, it } from "vitest";
import { definePrompt, type Context, type PromptDefinition } from "../../src/index.ts";

interface Db {
  readonly query: (text: string) => string[];
}

describe("the arguments of a prompt", () => {
  it("are strings when required, and may be missing otherwise", () => {
    const prompt = definePrompt({
      name: "review",
      arguments: { file: { required: true }, note: {}, style: { required: false, description: "…" } },
      render(args) {
        expectTypeOf(args).toEqualTypeOf<{
          readonly file: string;
          readonly note: string | undefined;
          readonly style: string | undefined;
        }>();
        // @ts-expect-error there is no such argument
        return `${args.file} ${args.nothing}`;
      },
    });
    expectTypeOf(prompt).toEqualTypeOf<PromptDefinition>();
    expect(prompt.name).toBe("review");
  });

  it("are inferred beside completers, whose own types come from the prompt", () => {
    const prompt = definePrompt({
      name: "review",
      arguments: {
        file: { required: true, complete: ["a", "b"] },
        note: {
          complete({ value, arguments: known }) {
            expectTypeOf(value).toBeString();
            expectTypeOf(known).toEqualTypeOf<Readonly<Record<string, string>>>();
            return [value];
          },
        },
      },
      render({ file, note }) {
        expectTypeOf(file).toBeString();
        expectTypeOf(note).toEqualTypeOf<string | undefined>();
        return file;
      },
    });
    expectTypeOf(prompt).toEqualTypeOf<PromptDefinition>();
    expect(prompt.arguments).toHaveProperty("note");
  });

  it("are none when none are declared", () => {
    const prompt = definePrompt({
      name: "plain",
      render(args) {
        // @ts-expect-error nothing was declared
        return String(args.anything);
      },
    });
    expect(prompt.arguments).toBeUndefined();
  });

  it("have no other settings than those of the protocol", () => {
    // @ts-expect-error "must" is no setting
    definePrompt({ name: "p", arguments: { a: { must: true } }, render: () => "x" });
    // @ts-expect-error required is a boolean
    definePrompt({ name: "p", arguments: { a: { required: "yes" } }, render: () => "x" });
    // @ts-expect-error a number is no message
    definePrompt({ name: "p", render: () => 7 });
    expect(definePrompt).toBeTypeOf("function");
  });
});

describe("the state of a prompt", () => {
  it("is what its context says", () => {
    const prompt = definePrompt({
      name: "tables",
      arguments: { table: { required: true } },
      render({ table }, { state }: Context<Db>) {
        expectTypeOf(state).toEqualTypeOf<Db>();
        return state.query(table).join();
      },
    });
    expectTypeOf(prompt).toEqualTypeOf<PromptDefinition<Db>>();
    expect(prompt.name).toBe("tables");
  });

  it("is what a completer's context says", () => {
    const prompt = definePrompt({
      name: "tables",
      arguments: { table: { complete: ({ value }, { state }: Context<Db>) => state.query(value) } },
      render: ({ table }) => table ?? "",
    });
    expectTypeOf(prompt).toEqualTypeOf<PromptDefinition<Db>>();
    expect(prompt.name).toBe("tables");
  });
});
