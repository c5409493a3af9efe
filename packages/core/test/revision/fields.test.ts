import { describe, expect, it } from "vitest";
import type { Params } from "../../src/jsonrpc/message.ts";
import { openLine } from "../../src/testing.ts";
import { MODERN, REVISIONS } from "../revisions.ts";
import { resultOf } from "../transcript.ts";
import { ALWAYS, createTalkative, fieldsIn, type Since } from "./talkative.ts";

const OF_ALL: Since = {
  name: ALWAYS,
  description: ALWAYS,
  title: "2025-06-18",
  _meta: "2025-06-18",
  icons: "2025-11-25",
};
const OF_TOOLS = { inputSchema: ALWAYS, annotations: "2025-03-26", outputSchema: "2025-06-18" };
const OF_TEMPLATES = { uriTemplate: ALWAYS, mimeType: ALWAYS, annotations: ALWAYS };
const OF_RESOURCES = { uri: ALWAYS, mimeType: ALWAYS, annotations: ALWAYS, size: ALWAYS };

const LISTS: readonly (readonly [method: string, key: string, since: Since])[] = [
  ["tools/list", "tools", { ...OF_ALL, ...OF_TOOLS }],
  ["resources/list", "resources", { ...OF_ALL, ...OF_RESOURCES }],
  ["resources/templates/list", "resourceTemplates", { ...OF_ALL, ...OF_TEMPLATES }],
  ["prompts/list", "prompts", { ...OF_ALL, arguments: ALWAYS }],
];

describe.each(REVISIONS)("in %s", (revision) => {
  const first = async (method: string, key: string): Promise<Params> => {
    const line = await openLine(createTalkative(), { revision });
    const result = resultOf(await line.request(method));
    return (result[key] as Params[])[0] ?? {};
  };

  it.each(LISTS)("%s has exactly the fields that the revision knows", async (method, key, since) => {
    expect(Object.keys(await first(method, key)).toSorted()).toEqual(fieldsIn(revision, since));
  });

  it("annotations have exactly the fields that the revision knows", async () => {
    const since = { audience: ALWAYS, priority: ALWAYS, lastModified: "2025-06-18" };
    for (const [method, key] of [
      ["resources/list", "resources"],
      ["resources/templates/list", "resourceTemplates"],
    ] as const) {
      const item = await first(method, key);
      expect(Object.keys(item["annotations"] as object).toSorted()).toEqual(fieldsIn(revision, since));
    }
  });

  it("prompt arguments have exactly the fields that the revision knows", async () => {
    const since = { name: ALWAYS, description: ALWAYS, required: ALWAYS, title: "2025-06-18" };
    const { arguments: args } = await first("prompts/list", "prompts");
    expect(Object.keys((args as Params[])[0] ?? {}).toSorted()).toEqual(fieldsIn(revision, since));
  });

  it.each(LISTS)("%s has the results' own fields of its era", async (method, key) => {
    const line = await openLine(createTalkative(), { revision });
    const keys = Object.keys(resultOf(await line.request(method))).toSorted();
    const modern = ["_meta", "cacheScope", "resultType", "ttlMs"];
    expect(keys).toEqual((revision === MODERN ? [...modern, key] : [key]).toSorted());
  });
});
