import { describe, expect, it } from "vitest";
import {
  createServer,
  defineResource,
  defineResourceTemplate,
  ProtocolError,
  type Server,
} from "../../src/index.ts";
import { connectInMemory, openLine } from "../../src/testing.ts";
import { MODERN, REVISIONS } from "../revisions.ts";
import { resultOf } from "../transcript.ts";

const FILES = Array.from({ length: 7 }, (_, at) => ({ uri: `file:///${at}.txt`, name: `${at}` }));

const createFiles = (pageSize = 100): Server =>
  createServer({
    name: "files",
    version: "1",
    pageSize,
    resources: [
      defineResource({ uri: "mem://a", name: "a", mimeType: "text/plain", read: () => "plain" }),
      defineResource({ uri: "mem://bytes", name: "bytes", read: async () => new Uint8Array([0, 255, 104]) }),
      defineResource({
        uri: "mem://one",
        name: "one",
        read: () => ({ uri: "mem://other", text: "spelled out" }),
      }),
      defineResource({
        uri: "mem://many",
        name: "many",
        read: () => [
          { uri: "mem://1", text: "1" },
          { uri: "mem://2", blob: "Mg==", mimeType: "x/y" },
        ],
      }),
      defineResource({ uri: "mem://empty", name: "empty", read: () => "" }),
    ],
    templates: [
      defineResourceTemplate({
        uriTemplate: "mem://{+rest}",
        name: "anything",
        read: ({ rest }) => `rest ${rest}`,
      }),
      defineResourceTemplate({
        uriTemplate: "mem://users/{id}",
        name: "user",
        mimeType: "application/json",
        read: ({ id }, _context, uri) => (id === "nobody" ? undefined : `user ${id} at ${uri}`),
      }),
      defineResourceTemplate({ uriTemplate: "mem://users/me", name: "me", read: () => "me" }),
      defineResourceTemplate({
        uriTemplate: "file:///{name}",
        name: "file",
        read: () => "text",
        list(_context, cursor) {
          const start = Number(cursor ?? 0);
          const resources = FILES.slice(start, start + 3);
          return start + 3 < FILES.length ? { resources, nextCursor: String(start + 3) } : { resources };
        },
      }),
      defineResourceTemplate({
        uriTemplate: "none://{x}",
        name: "none",
        read: () => "",
        list: () => ({ resources: [] }),
      }),
      defineResourceTemplate({
        uriTemplate: "one://{x}",
        name: "one",
        read: () => "",
        list: () => ({ resources: [{ uri: "one://1", name: "1" }] }),
      }),
    ],
  });

describe.each(REVISIONS)("resources/read in %s", (revision) => {
  const read = async (uri: unknown): Promise<unknown> => {
    const line = await openLine(createFiles(), { revision });
    return line.request("resources/read", { uri });
  };

  it.each<[string, object[]]>([
    ["mem://a", [{ uri: "mem://a", mimeType: "text/plain", text: "plain" }]],
    ["mem://bytes", [{ uri: "mem://bytes", blob: "AP9o" }]],
    ["mem://one", [{ uri: "mem://other", text: "spelled out" }]],
    ["mem://empty", [{ uri: "mem://empty", text: "" }]],
    [
      "mem://many",
      [
        { uri: "mem://1", text: "1" },
        { uri: "mem://2", blob: "Mg==", mimeType: "x/y" },
      ],
    ],
  ])("gives %s as contents", async (uri, contents) => {
    expect(await read(uri)).toMatchObject({ result: { contents } });
  });

  it.each([
    ["mem://users/7", "user 7 at mem://users/7"],
    ["mem://users/me", "me"],
    ["mem://users/7/x", "rest users/7/x"],
    ["mem://b", "rest b"],
  ])("routes %s to the most specific template, whatever their order", async (uri, text) => {
    expect(await read(uri)).toMatchObject({ result: { contents: [{ uri, text }] } });
  });

  it.each([undefined, null, 7, "", {}])("refuses the URI %j with -32602", async (uri) => {
    expect(await read(uri)).toMatchObject({
      error: { code: -32602, message: "uri must be a non-empty string" },
    });
  });
});

describe("resources/list", () => {
  it.each([1, 2, 3, 100])("goes through all sources, %i registered ones a page", async (pageSize) => {
    const client = await connectInMemory(createFiles(pageSize));
    const uris = (await client.listResources()).map(({ uri }) => uri);
    const registered = ["mem://a", "mem://bytes", "mem://one", "mem://many", "mem://empty"];
    expect(uris).toEqual([...registered, ...FILES.map(({ uri }) => uri), "one://1"]);
  });

  it("starts with the first listing template when nothing is registered", async () => {
    const template = defineResourceTemplate({
      uriTemplate: "a://{x}",
      name: "a",
      read: () => "",
      list: () => ({ resources: [{ uri: "a://1", name: "1" }] }),
    });
    const client = await connectInMemory(createServer({ name: "s", version: "1", templates: [template] }));
    expect(await client.listResources()).toEqual([{ uri: "a://1", name: "1" }]);
  });

  it("takes a template's empty cursor for the end: it would begin that template again", async () => {
    const toTemplate = (name: string) =>
      defineResourceTemplate({
        uriTemplate: `${name}://{x}`,
        name,
        read: () => "",
        list: () => ({ resources: [{ uri: `${name}://1`, name: "1" }], nextCursor: "" }),
      });
    const templates = ["a", "b"].map(toTemplate);
    const client = await connectInMemory(createServer({ name: "s", version: "1", templates }));
    expect((await client.listResources()).map(({ uri }) => uri)).toEqual(["a://1", "b://1"]);
  });

  it("refuses cursors that are not its own", async () => {
    const line = await openLine(createFiles(1), { revision: MODERN });
    const templates = await line.request("resources/templates/list");
    const { nextCursor } = resultOf(templates);
    const foreign = [
      nextCursor,
      "",
      "abc",
      btoa('["resources/list",99,""]'),
      btoa('["resources/list",0,"abc"]'),
    ];
    for (const cursor of foreign) {
      expect(await line.request("resources/list", { cursor })).toMatchObject({ error: { code: -32602 } });
    }
  });

  it("passes a template's own refusal on", async () => {
    const template = defineResourceTemplate({
      uriTemplate: "a://{x}",
      name: "a",
      read: () => "",
      list: () => {
        throw new ProtocolError(-32001, "Ask later");
      },
    });
    const line = await openLine(createServer({ name: "s", version: "1", templates: [template] }), {
      revision: MODERN,
    });
    expect(await line.request("resources/list")).toMatchObject({
      error: { code: -32001, message: "Ask later" },
    });
  });
});
