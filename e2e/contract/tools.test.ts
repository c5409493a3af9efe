import { BOTH_ENDS, type ListedTool, listTools, type Revision, REVISIONS } from "@suite/check/wires";
import { countTokens } from "gpt-tokenizer";
import { describe, expect, it } from "vitest";

import { oncePerFile } from "../support/afterwards.ts";
import { openServer } from "./program.ts";
import { complain, FACTS, OF_WRITERS } from "./rules.ts";
import { SERVERS } from "./servers.ts";

describe.each(SERVERS)("the tools of $name", (server) => {
  const listOnce = oncePerFile(async () => listTools(await openServer(server)));

  it(`cost a model no more than ${server.tokens} tokens`, async () => {
    const tools = await listOnce();
    const seen = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    const costs = seen.map((tool) => `${countTokens(JSON.stringify(tool))} ${tool.name}`);
    const total = countTokens(JSON.stringify(seen));
    expect(total, `${total} tokens:\n${costs.join("\n")}`).toBeLessThanOrEqual(server.tokens);
  });

  it("are introduced in the same words before and after the server is loaded", async () => {
    const names = (await listOnce()).map(({ name }) => name);
    // A choice among tools that were not listed at build time needs the whole server at once.
    const [early, whole] = await Promise.all(
      [[], ["--results", "text", "--tools", names.join()]].map(async (args) => {
        const wire = await openServer(server, args, { revision: "2025-11-25" });
        return wire.heard[0]?.result;
      }),
    );
    expect(early).toHaveProperty("serverInfo");
    expect(early).toEqual(whole);
  });

  it.each<[string, readonly Revision[], (name: string) => readonly string[]]>([
    ["all tools", REVISIONS, () => []],
    ["--read-only", BOTH_ENDS, () => ["--read-only"]],
    ["--tools", BOTH_ENDS, (name) => ["--tools", name]],
    ["--exclude-tools", BOTH_ENDS, (name) => ["--exclude-tools", name]],
    ["--results text", BOTH_ENDS, () => ["--results", "text"]],
  ])("are first listed as the loaded server lists them: %s, in %j", async (_, revisions, toArgs) => {
    const [{ name: first } = expect.fail("There are no tools")] = await listOnce();
    const list = async (revision: Revision) => {
      const wire = await openServer(server, toArgs(first), { revision });
      const before = await wire.request("tools/list");
      // Nobody can answer this before the server is there.
      await wire.request("resources/list");
      const after = await wire.request("tools/list");
      return { before: before.result, after: after.result };
    };
    for (const { before, after } of await Promise.all(revisions.map(list))) {
      expect(before).toHaveProperty("tools");
      expect(before).toEqual(after);
    }
  });
});

describe("the rules themselves", () => {
  const bare: ListedTool = { name: "bare", inputSchema: { type: "object" } };

  it("find everything that is not there", () => {
    expect(complain(bare, FACTS)).toHaveLength(FACTS.length);
    expect(complain(bare, OF_WRITERS)).toHaveLength(OF_WRITERS.length - 1);
    const strict = { ...bare, inputSchema: { type: "object", required: ["dry_run"] } };
    expect(complain(strict, OF_WRITERS)).toContain("bare cannot do without dry_run");
  });
});
