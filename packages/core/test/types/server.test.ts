import { describe, expect, expectTypeOf, it } from "vitest";
import {
  createServer,
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineTool,
  serve,
  type Context,
  type Server,
  type ToolDefinition,
} from "../../src/index.ts";
import { createMemoryPair, openLine } from "../../src/testing.ts";

interface Db {
  readonly rows: readonly string[];
}

interface Cache {
  readonly hits: number;
}

const needsDb = defineTool({
  name: "db",
  description: "…",
  run: (_input, { state }: Context<Db>) => state.rows.join(),
});
const needsCache = defineTool({
  name: "cache",
  description: "…",
  run: (_input, { state }: Context<Cache>) => `${state.hits}`,
});
const needsNothing = defineTool({ name: "free", description: "…", run: () => "x" });
const facts = { name: "s", version: "1" };

describe("the state of a tool", () => {
  it("is what its context says, and unknown when it says nothing", () => {
    expectTypeOf(needsDb).toEqualTypeOf<ToolDefinition<Db>>();
    expectTypeOf(needsNothing).toEqualTypeOf<ToolDefinition>();
    defineTool({
      name: "t",
      description: "…",
      run(_input, { state }) {
        expectTypeOf(state).toBeUnknown();
        return "x";
      },
    });
    expect(needsDb.name).toBe("db");
  });
});

describe("createServer", () => {
  it("needs no state when nothing it offers does", () => {
    const server = createServer({ ...facts, tools: [needsNothing] });
    expectTypeOf(server).toEqualTypeOf<Server>();
    expect(server.runtime.info).toEqual(facts);
  });

  it("needs the state that a tool does", () => {
    // @ts-expect-error there is no state
    createServer({ ...facts, tools: [needsDb] });
    // @ts-expect-error this is another state
    createServer({ ...facts, tools: [needsDb], state: { hits: 1 } });
    const server = createServer({ ...facts, tools: [needsDb, needsNothing], state: { rows: ["a"] } });
    expect(server.runtime.state).toEqual({ rows: ["a"] });
  });

  it("needs the state that a resource, a template or a prompt does", () => {
    const resource = defineResource({
      uri: "a://b",
      name: "r",
      read: ({ state }: Context<Db>) => state.rows.join(),
    });
    const template = defineResourceTemplate({
      uriTemplate: "a://{x}",
      name: "t",
      read: ({ x }, { state }: Context<Db>) => `${x}${state.rows.length}`,
    });
    const prompt = definePrompt({ name: "p", render: (_args, { state }: Context<Db>) => state.rows.join() });
    // @ts-expect-error there is no state
    createServer({ ...facts, resources: [resource] });
    // @ts-expect-error there is no state
    createServer({ ...facts, templates: [template] });
    // @ts-expect-error there is no state
    createServer({ ...facts, prompts: [prompt] });
    const server = createServer({
      ...facts,
      resources: [resource],
      templates: [template],
      prompts: [prompt],
      state: { rows: [] },
    });
    expect(server.runtime.catalog.prompts?.values()).toHaveLength(1);
  });

  it("takes a state that serves tools of several kinds", () => {
    const server = createServer<Db & Cache>({
      ...facts,
      tools: [needsDb, needsCache],
      state: { rows: [], hits: 0 },
    });
    expectTypeOf(server).toEqualTypeOf<Server<Db & Cache>>();
    server.addTool(needsNothing);
    expect(server.runtime.catalog.tools?.values()).toHaveLength(3);
  });

  it("gives its dispose the state", () => {
    const server = createServer({
      ...facts,
      tools: [needsDb],
      state: { rows: ["a"] },
      dispose(state) {
        expectTypeOf(state).toExtend<Db>();
      },
    });
    // @ts-expect-error this tool needs what the state has not got
    expect(() => server.addTool(needsCache)).not.toThrow();
  });

  it("may be called right where a server is wanted", async () => {
    const [, far] = createMemoryPair();
    expect(serve(createServer(facts), far).isIdle).toBe(true);
    const line = await openLine(createServer({ ...facts, tools: [needsDb], state: { rows: [] } }));
    await line.close();
  });
});
