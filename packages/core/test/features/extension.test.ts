import { describe, expect, it } from "vitest";
import { createServer, defineResourceTemplate, type Server } from "../../src/index.ts";
import { connectInMemory, openLine } from "../../src/testing.ts";
import { REVISIONS } from "../revisions.ts";

const SKILLS = "io.modelcontextprotocol/skills";
const OTHER = "com.example/other";
const EXTENDED = ["2025-11-25", "2026-07-28"];

const page = (...names: readonly string[]) => ({
  resources: names.map((name) => ({ uri: `mem:///a/${name}`, name })),
});

const createExtended = (): Server =>
  createServer({
    name: "s",
    version: "1",
    templates: [
      defineResourceTemplate({
        uriTemplate: "mem:///{+path}",
        name: "mem",
        read: ({ path }) => path,
        directory: (uri, _context, cursor) => {
          if (uri !== "mem:///a") return undefined;
          return cursor === undefined ? { ...page("one"), nextCursor: "more" } : page(cursor);
        },
      }),
    ],
    extensions: {
      [OTHER]: {},
      [SKILLS]: {
        settings: { directoryRead: true },
        methods: {
          "skills/list": (_params, { client }) => ({
            skills: [],
            declared: client.capabilities.extensions ?? null,
            ttlMs: 5,
            cacheScope: "public",
          }),
        },
      },
    },
  });

describe.each(REVISIONS)("extensions in %s", (revision) => {
  const isExtended = EXTENDED.includes(revision);
  const isModern = revision === "2026-07-28";

  it("are declared where the revision has them, and so are the client's", async () => {
    const capabilities = { extensions: { [SKILLS]: {}, [OTHER]: { a: 1 } } };
    const line = await openLine(createExtended(), { revision, capabilities });
    const own = { [SKILLS]: { directoryRead: true }, ...(isModern && { [OTHER]: {} }) };
    const { agreement } = await connectInMemory(createExtended(), { revision });
    expect(agreement.server.capabilities).toHaveProperty("resources");
    expect(agreement.server.capabilities.extensions).toEqual(isExtended ? own : undefined);
    if (!isExtended) return;
    const seen = { [SKILLS]: {}, ...(isModern && { [OTHER]: { a: 1 } }) };
    expect(await line.request("skills/list")).toMatchObject({ result: { declared: seen } });
  });

  it("answer their methods, with the fields of the revision", async () => {
    const line = await openLine(createExtended(), { revision });
    const fields = isModern ? { ttlMs: 5, resultType: "complete" } : {};
    const result = { skills: [], declared: null, ...fields };
    const answer = await line.request("skills/list");
    expect(answer).toMatchObject(isExtended ? { result } : { error: { code: -32601 } });
    expect(JSON.stringify(answer).includes("ttlMs")).toBe(isModern);
    expect(await line.request("skills/get", { uri: "x:y" })).toMatchObject({ error: { code: -32601 } });
  });
});

describe.each(EXTENDED)("directories in %s", (revision) => {
  it("are read page by page, and nothing else is", async () => {
    const line = await openLine(createExtended(), { revision });
    const read = "resources/directory/read";
    const uri = "mem:///a";
    const first = { result: { ...page("one"), nextCursor: "more" } };
    expect(await line.request(read, { uri })).toMatchObject(first);
    expect(await line.request(read, { uri, cursor: "two" })).toMatchObject({ result: page("two") });
    for (const other of ["mem:///b", "other:///a"])
      expect(await line.request(read, { uri: other })).toMatchObject({ error: { code: -32602 } });
    const without = await openLine(createServer({ name: "s", version: "1", resources: [] }), { revision });
    expect(await without.request(read, { uri })).toMatchObject({ error: { code: -32601 } });
  });
});
