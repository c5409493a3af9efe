import { BOTH_ENDS, type Fields, type Revision, REVISIONS } from "@suite/check/wires";
import { countTokens } from "gpt-tokenizer";
import { describe, expect, it } from "vitest";

import { openServer } from "../contract/program.ts";
import { SERVERS } from "../contract/servers.ts";
import { SHOWS_VIEWS } from "./page.ts";

interface Tool extends Fields {
  readonly name: string;
  readonly annotations?: { readonly readOnlyHint?: boolean };
  readonly _meta?: { readonly ui?: { readonly resourceUri: string } };
}

/** The example has none: it is to stay an example. */
const WITH_VIEWS = SERVERS.filter(({ name }) => name !== "notes" && name !== "fixture");
/** Of `_meta.ui`, for hosts that give it to the model. */
const MOST_TOKENS = 20;
/** Those that knew no `_meta`, or no extensions. */
const BEFORE: readonly Revision[] = REVISIONS.filter((revision) => revision < "2025-11-25");

describe.each(WITH_VIEWS)("the views of $name", (server) => {
  const ask = async (revision: Revision, capabilities: object) => {
    const wire = await openServer(server, [], { revision, capabilities: { sampling: {}, ...capabilities } });
    const list = async (): Promise<readonly Tool[]> =>
      (await wire.request("tools/list")).result?.["tools"] as readonly Tool[];
    const early = await list();
    // Nobody can answer this before the server is loaded.
    const resources = JSON.stringify((await wire.request("resources/list")).result);
    expect(await list()).toEqual(early);
    expect(resources).not.toContain("ui://");
    return { wire, tools: early };
  };

  it.each(["2025-11-25", "2026-07-28"] as const)(
    "are named and given to who can show them: %s",
    async (revision) => {
      const { wire, tools } = await ask(revision, SHOWS_VIEWS);
      const writers = tools.filter(({ annotations }) => annotations?.readOnlyHint === false);
      expect(writers.filter(({ _meta }) => !_meta?.ui).map(({ name }) => name)).toEqual([]);
      const named = tools.flatMap(({ _meta }) => (_meta?.ui ? [_meta.ui] : []));
      for (const ui of named) expect(countTokens(JSON.stringify({ ui }))).toBeLessThanOrEqual(MOST_TOKENS);
      const uris = new Set(named.map(({ resourceUri }) => resourceUri));
      expect(uris.size).toBeGreaterThan(0);
      for (const uri of uris) {
        const { result } = await wire.request("resources/read", { uri });
        expect(result?.["contents"]).toEqual([
          {
            uri,
            mimeType: "text/html;profile=mcp-app",
            text: expect.stringMatching(/^<!doctype html>/) as string,
            _meta: { ui: { prefersBorder: true } },
          },
        ]);
      }
      const { error } = await wire.request("resources/read", { uri: `ui://${server.name}/..%2Fmain` });
      expect(error).toBeDefined();
    },
  );

  it.each([
    ...BOTH_ENDS.map((revision) => [revision, {}] as const),
    [BEFORE.at(-1) ?? "2025-06-18", SHOWS_VIEWS],
    ["2026-07-28", { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html"] } } }],
  ] as const)("are unknown to others: %s, %j", async (revision, capabilities) => {
    const { wire, tools } = await ask(revision, capabilities);
    expect(JSON.stringify(tools)).not.toContain("ui://");
    const { error } = await wire.request("resources/read", { uri: `ui://${server.name}/change` });
    expect(error).toBeDefined();
  });
});
