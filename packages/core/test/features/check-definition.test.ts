import { describe, expect, it } from "vitest";

import { createServer, type Server } from "../../src/server.ts";

/** As an author without types calls it. */
const create = createServer as (config: object) => Server;

const own = { name: "t", version: "1" };
const tool = { name: "look", description: "Looks.", run: () => "seen" };
const prompt = { name: "ask", render: () => "?" };
const resource = { name: "r", uri: "x:///r", read: () => "" };
const template = { name: "t", uriTemplate: "x:///{id}", read: () => "" };

describe("a server that types would have refused", () => {
  it.each([
    ["an unknown key", { ...own, tool: [] }, "The server has no member tool. It may have name, version, "],
    ["no version", { name: "t" }, "The server lacks version"],
    ["a tool that cannot run", { tools: [{ ...tool, run: undefined }] }, 'tool "look" lacks run'],
    ["a tool that runs nothing", { tools: [{ ...tool, run: "x" }] }, 'run of tool "look" must be a function'],
    [
      "a tool with an unknown key",
      { tools: [{ ...tool, handler: 1 }] },
      'tool "look" has no member handler.',
    ],
    [
      "a tool of misspelled effects",
      { tools: [{ ...tool, effects: "reed" }] },
      'effects of tool "look" must be',
    ],
    ["a tool without a name", { tools: [{ ...tool, name: undefined }] }, "A tool without a name lacks name"],
    ["a tool without a description", { tools: [{ ...tool, description: undefined }] }, "lacks description"],
    ["an empty name", { tools: [{ ...tool, name: "" }] }, "A tool without a name needs another name"],
    ["a name with a space", { tools: [{ ...tool, name: "a b" }] }, 'tool "a b" needs another name: 1 to 128'],
    ["a name that is too long", { tools: [{ ...tool, name: "a".repeat(129) }] }, "needs another name"],
    ["a name of other letters", { tools: [{ ...tool, name: "größe" }] }, "needs another name"],
    [
      "a prompt that renders nothing",
      { prompts: [{ ...prompt, render: 1 }] },
      'render of prompt "ask" must be',
    ],
    [
      "a prompt with an unknown key of an argument",
      { prompts: [{ ...prompt, arguments: { a: { optional: true } } }] },
      'prompt "ask", argument a has no member optional.',
    ],
    [
      "a resource without a URI",
      { resources: [{ ...resource, uri: "r" }] },
      'uri of resource "r" is not a URI',
    ],
    ["a resource with an unknown key", { resources: [{ ...resource, url: "" }] }, "has no member url."],
    [
      "a resource with a negative time",
      { resources: [{ ...resource, cache: { ttlMs: -1 } }] },
      'cache of resource "r": ttlMs must be',
    ],
    [
      "a template with an unknown hint",
      { templates: [{ ...template, cache: { scope: "public" } }] },
      'cache of resource template "t" has no member scope.',
    ],
    ["an empty page", { pageSize: 0 }, "The server: pageSize must be a whole number from 1 to 2147483647"],
    ["half an entry on a page", { pageSize: 0.5 }, "The server: pageSize must be"],
    ["an unknown task limit", { tasks: { ttl: 1 } }, "tasks has no member ttl."],
    ["no tasks at all", { tasks: { most: 0 } }, "tasks: most must be a whole number from 1 to 2147483647"],
    ["an unknown limit", { limits: { requests: 1 } }, "limits has no member requests."],
    ["unknown caching", { caching: { list: {} } }, "caching has no member list."],
    ["an unknown hint", { caching: { reads: { scope: "public" } } }, "caching.reads has no member scope."],
    ["a negative time", { caching: { lists: { ttlMs: -1 } } }, "caching.lists: ttlMs must be"],
    ["a template that reads nothing", { templates: [{ ...template, read: 1 }] }, "read of resource template"],
  ])("is refused: %s", (_, config, message) => {
    expect(() => create({ ...("name" in config ? {} : own), ...config })).toThrow(message);
  });

  it("has the default where an option is undefined", () => {
    const { runtime } = create({ ...own, limits: { batch: undefined, subscriptions: 5 } });
    expect(runtime.limits).toMatchObject({ batch: 1000, subscriptions: 5 });
  });

  it("does not read members that are made when they are needed", () => {
    const late = {
      ...tool,
      get meta(): never {
        throw new Error("It was read");
      },
    };
    expect(() => create({ ...own, tools: [late] })).not.toThrow();
  });

  it("is refused when it is added to, too", () => {
    const server = create({ ...own, tools: [tool] });
    expect(() => server.addTool({ ...tool, name: "a b" })).toThrow("needs another name");
    expect(() => create({ ...own, tools: [tool], prompts: [prompt], resources: [resource] })).not.toThrow();
  });
});
