import { describe, expect, expectTypeOf, it } from "vitest";
import {
  defineResource,
  defineResourceTemplate,
  type Context,
  type ResourceDefinition,
  type ResourceTemplateDefinition,
} from "../../src/index.ts";

interface Db {
  readonly rows: readonly string[];
}

describe("the variables of a template", () => {
  it("are those that are written in it", () => {
    const template = defineResourceTemplate({
      uriTemplate: "db://{table}/{id}",
      name: "row",
      read(variables, context, uri) {
        expectTypeOf(variables).toEqualTypeOf<{ readonly table: string; readonly id: string }>();
        expectTypeOf(context.state).toBeUnknown();
        expectTypeOf(uri).toBeString();
        // @ts-expect-error there is no such variable
        return `${variables.table}${variables.row}`;
      },
    });
    expectTypeOf(template).toEqualTypeOf<ResourceTemplateDefinition>();
    expect(template.uriTemplate).toBe("db://{table}/{id}");
  });

  it("are what completers are for", () => {
    const template = defineResourceTemplate({
      uriTemplate: "db://{table}/{id}",
      name: "row",
      complete: {
        table: ["users"],
        id({ value, arguments: known }, { state }: Context<Db>) {
          expectTypeOf(value).toBeString();
          return state.rows.filter((row) => row !== known["table"]);
        },
      },
      read: ({ id }) => id,
    });
    expectTypeOf(template).toEqualTypeOf<ResourceTemplateDefinition<Db>>();
    const wrong = { row: ["x"] };
    // @ts-expect-error nothing in the template has this name
    defineResourceTemplate({ uriTemplate: "db://{table}", name: "t", complete: wrong, read: () => "x" });
    expect(template.complete).toHaveProperty("id");
  });
});

describe("what a resource gives", () => {
  it("is text, bytes or contents", () => {
    const base = { uri: "a://b", name: "r" };
    defineResource({ ...base, read: () => "x" });
    defineResource({ ...base, read: async () => new Uint8Array() });
    defineResource({ ...base, read: () => ({ uri: "a://c", text: "x" }) });
    defineResource({ ...base, read: () => [{ uri: "a://c", blob: "" }] });
    // @ts-expect-error a number is no content
    defineResource({ ...base, read: () => 7 });
    // @ts-expect-error a registered resource exists
    defineResource({ ...base, read: () => undefined });
    defineResourceTemplate({ uriTemplate: "a://{x}", name: "t", read: () => undefined });
    expect(defineResource).toBeTypeOf("function");
  });

  it("may need a state, for reading and for watching", () => {
    const resource = defineResource({
      uri: "a://b",
      name: "r",
      read: ({ state }: Context<Db>) => state.rows.join(),
      subscribe(uri, changed, state) {
        expectTypeOf(uri).toBeString();
        expectTypeOf(changed).toEqualTypeOf<() => void>();
        expectTypeOf(state).toEqualTypeOf<Db>();
      },
    });
    expectTypeOf(resource).toEqualTypeOf<ResourceDefinition<Db>>();
    expect(resource.subscribe).toBeTypeOf("function");
  });
});
