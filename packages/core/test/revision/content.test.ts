import { describe, expect, it } from "vitest";
import {
  createServer,
  definePrompt,
  defineTool,
  Reply,
  Serialized,
  type ContentBlock,
} from "../../src/index.ts";
import { openLine } from "../../src/testing.ts";
import { isFrom, MODERN, REVISIONS } from "../revisions.ts";
import { resultOf } from "../transcript.ts";

const annotations = { audience: ["user"], priority: 1, lastModified: "2025-01-01T00:00:00Z" } as const;
const _meta = { "example.com/a": 1 };
const old = { audience: ["user"], priority: 1 };

const TEXT = { type: "text", text: "x", annotations, _meta } as const;
const IMAGE = { type: "image", data: "AA==", mimeType: "image/png", annotations, _meta } as const;
const AUDIO = { type: "audio", data: "AA==", mimeType: "audio/wav" } as const;
const EMBEDDED = {
  type: "resource",
  resource: { uri: "a://b", text: "x", _meta },
  annotations,
  _meta,
} as const;
const LINK = {
  type: "resource_link",
  uri: "a://b",
  name: "b",
  title: "B",
  description: "About b",
  icons: [{ src: "data:," }],
} as const;

/** What a tool's and a prompt's block becomes in each revision. */
async function encoded(revision: string, block: ContentBlock): Promise<unknown[]> {
  const server = createServer({
    name: "s",
    version: "1",
    tools: [defineTool({ name: "t", description: "…", run: () => [block] })],
    prompts: [definePrompt({ name: "p", render: () => [{ role: "user", content: block }] })],
  });
  const line = await openLine(server, { revision });
  const [inTool] = resultOf(await line.request("tools/call", { name: "t" }))["content"] as unknown[];
  const [message] = resultOf(await line.request("prompts/get", { name: "p" }))["messages"] as {
    content: unknown;
  }[];
  return [inTool, message?.content];
}

describe.each(REVISIONS)("content in %s", (revision) => {
  const knowsMeta = isFrom(revision, "2025-06-18");

  it.each([TEXT, IMAGE])("%j has the annotations and metadata that the revision knows", async (block) => {
    const { annotations: _annotations, _meta: _dropped, ...plain } = block;
    const expected = knowsMeta ? block : { ...plain, annotations: old };
    expect(await encoded(revision, block)).toEqual([expected, expected]);
  });

  it("embeds resources with what the revision knows", async () => {
    const plain = { type: "resource", resource: { uri: "a://b", text: "x" }, annotations: old };
    const expected = knowsMeta ? EMBEDDED : plain;
    expect(await encoded(revision, EMBEDDED)).toEqual([expected, expected]);
  });

  it("carries audio, as an attachment where there is no audio", async () => {
    const attached = {
      type: "resource",
      resource: { uri: expect.any(String) as string, mimeType: "audio/wav", blob: "AA==" },
    };
    const expected = isFrom(revision, "2025-03-26") ? AUDIO : attached;
    expect(await encoded(revision, AUDIO)).toEqual([expected, expected]);
  });

  it("carries links, as text where there are none", async () => {
    const { icons: _icons, ...without } = LINK;
    const asText = { type: "text", text: "B: a://b\nAbout b" };
    const expected = isFrom(revision, "2025-11-25") ? LINK : knowsMeta ? without : asText;
    expect(await encoded(revision, LINK)).toEqual([expected, expected]);
  });

  it("refuses a kind that does not exist, without saying why", async () => {
    const tool = { name: "t", description: "…", run: () => [{ type: "video", data: "" }] };
    const line = await openLine(createServer({ name: "s", version: "1", tools: [tool] }), { revision });
    expect(await line.request("tools/call", { name: "t" })).toMatchObject({
      error: { code: -32603, message: "Internal error" },
    });
  });
});

describe.each(REVISIONS)("structured content in %s", (revision) => {
  const server = createServer({
    name: "s",
    version: "1",
    tools: [
      defineTool({ name: "object", description: "…", output: { type: "object" }, run: () => ({ n: 1 }) }),
      defineTool({
        name: "list",
        description: "…",
        output: { type: "array", items: { $ref: "#/$defs/n" }, $defs: { n: { type: "number" } } },
        run: () => [1, 2],
      }),
      defineTool({
        name: "union",
        description: "…",
        output: { anyOf: [{ type: "object" }, { type: "null" }] },
        run: () => null,
      }),
      defineTool({
        name: "serialized_list",
        description: "…",
        output: { type: "array" },
        run: () => new Reply<never>({ structured: new Serialized([1, 2]) }),
      }),
      defineTool({
        name: "serialized",
        description: "…",
        output: { type: "object" },
        run: () => new Reply<never>({ structured: new Serialized({ n: 1 }, '{"n":2}'), meta: _meta }),
      }),
      defineTool({
        name: "plain",
        description: "…",
        run: () => new Reply({ content: "x", isError: false, meta: _meta }),
      }),
    ],
  });
  const call = async (name: string): Promise<object> =>
    resultOf(await (await openLine(server, { revision })).request("tools/call", { name }));

  it("is an object from 2025-06-18 on, and anything in the modern era", async () => {
    const wrap = (value: unknown): object =>
      revision === MODERN
        ? { structuredContent: value }
        : knowsStructure
          ? { structuredContent: { result: value } }
          : {};
    const knowsStructure = isFrom(revision, "2025-06-18");
    expect(await call("object")).toMatchObject(knowsStructure ? { structuredContent: { n: 1 } } : {});
    expect(await call("list")).toMatchObject({ content: [{ text: "[1,2]" }], ...wrap([1, 2]) });
    expect(await call("union")).toMatchObject({ content: [{ text: "null" }], ...wrap(null) });
    expect("structuredContent" in (await call("list"))).toBe(knowsStructure);
    expect(await call("serialized_list")).toMatchObject({ content: [{ text: "[1,2]" }], ...wrap([1, 2]) });
    const { structuredContent } = (await call("serialized")) as { structuredContent?: unknown };
    // The JSON that it came with.
    expect(structuredContent).toEqual(knowsStructure ? { n: 2 } : undefined);
  });

  it("leaves isError and _meta as they are", async () => {
    expect(await call("plain")).toMatchObject({
      content: [{ type: "text", text: "x" }],
      isError: false,
      _meta,
    });
  });
});
