import { describe, expect, it } from "vitest";
import { Catalog, type CatalogContents } from "../../src/features/catalog.ts";
import { definePrompt, defineResource, defineResourceTemplate, defineTool } from "../../src/index.ts";

const capabilitiesOf = (contents: CatalogContents): unknown =>
  new Catalog(contents, () => undefined).capabilities();

const tool = defineTool({ name: "t", description: "…", run: () => "x" });
const resource = defineResource({ uri: "a://b", name: "r", read: () => "x" });
const template = defineResourceTemplate({ uriTemplate: "a://{x}", name: "t", read: () => "x" });
const prompt = definePrompt({ name: "p", arguments: { a: {} }, render: () => "x" });

describe("capabilities", () => {
  it.each<[string, CatalogContents, object]>([
    ["nothing", {}, {}],
    ["tools", { tools: [tool] }, { tools: { listChanged: true } }],
    ["tools to come", { tools: [] }, { tools: { listChanged: true } }],
    ["resources", { resources: [resource] }, { resources: { listChanged: true } }],
    ["templates", { templates: [template] }, { resources: { listChanged: true } }],
    [
      "a resource to subscribe to",
      { resources: [{ ...resource, subscribe: true }] },
      { resources: { subscribe: true, listChanged: true } },
    ],
    [
      "a template to subscribe to",
      { templates: [{ ...template, subscribe: () => undefined }] },
      { resources: { subscribe: true, listChanged: true } },
    ],
    ["prompts", { prompts: [prompt] }, { prompts: { listChanged: true } }],
    [
      "a prompt to complete",
      { prompts: [{ ...prompt, arguments: { a: { complete: ["x"] } } }] },
      { prompts: { listChanged: true }, completions: {} },
    ],
    [
      "a template to complete",
      { templates: [{ ...template, complete: { x: ["y"] } }] },
      { resources: { listChanged: true }, completions: {} },
    ],
  ])("follow from what is there: %s", (_what, contents, expected) => {
    expect(capabilitiesOf(contents)).toEqual({ ...expected, logging: {} });
  });
});

describe("a catalog", () => {
  it("refuses two of a name", () => {
    expect(() => capabilitiesOf({ tools: [tool, tool] })).toThrow('There is already a tool named "t"');
    expect(() => capabilitiesOf({ templates: [template, template] })).toThrow("resource template");
  });

  it("refuses a template that is none, when it is made", () => {
    expect(() => capabilitiesOf({ templates: [{ ...template, uriTemplate: "a://{x" }] })).toThrow(
      "not closed",
    );
  });

  it("tells which list has changed", () => {
    const changed: string[] = [];
    const catalog = new Catalog({ tools: [], resources: [], prompts: [] }, (kind) => changed.push(kind));
    catalog.templates?.remove("nothing");
    expect(changed).toEqual([]);
    catalog.prompts?.remove("nothing");
    catalog.tools?.add("t", {} as never);
    catalog.templates?.add("a://{x}", {} as never);
    expect(changed).toEqual(["tools", "resources"]);
  });
});
