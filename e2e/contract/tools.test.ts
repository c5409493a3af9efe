import { BOTH_ENDS, type ListedTool, listTools, type Revision, REVISIONS } from "@suite/check/wires";
import { countTokens } from "gpt-tokenizer";
import { describe, expect, it } from "vitest";

import { oncePerFile } from "../support/afterwards.ts";
import { listTwice, openServer } from "./program.ts";
import type { ContractServer } from "./contract-server.ts";
import { complain, FACTS, OF_WRITERS } from "./rules.ts";
import { SERVERS } from "./servers.ts";

const TALKS: readonly { readonly revision: Revision; readonly args: readonly string[] }[] = [
  ...REVISIONS.toReversed().map((revision) => ({ revision, args: [] })),
  ...BOTH_ENDS.map((revision) => ({ revision, args: ["--results", "text"] })),
];

async function listIn(server: ContractServer, { revision, args }: (typeof TALKS)[number]) {
  const wire = await openServer(server, args, { revision });
  const introduction = wire.heard[0]?.result;
  return { revision, introduction, ...(await listTwice(wire)), tools: await listTools(wire) };
}

describe.each(SERVERS)("the tools of $name", (server) => {
  const listOnce = oncePerFile(() => Promise.all(TALKS.map((talk) => listIn(server, talk))));

  it(`cost a model no more than ${server.tokens} tokens`, async () => {
    const [{ tools } = expect.fail()] = await listOnce();
    const seen = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    const costs = seen.map((tool) => `${countTokens(JSON.stringify(tool))} ${tool.name}`);
    const total = countTokens(JSON.stringify(seen));
    expect(total, `${total} tokens:\n${costs.join("\n")}`).toBeLessThanOrEqual(server.tokens);
  });

  it("are introduced in the same words before and after the server is loaded", async () => {
    const { tools = [], introduction } =
      (await listOnce()).find(({ revision }) => revision === "2025-11-25") ?? {};
    // A choice among tools that were not listed at build time needs the whole server at once.
    const names = tools.map(({ name }) => name).join();
    const args = ["--results", "text", "--tools", names];
    const whole = await openServer(server, args, { revision: "2025-11-25" });
    expect(introduction).toHaveProperty("serverInfo");
    expect(introduction).toEqual(whole.heard[0]?.result);
  });

  it("are first listed as the loaded server lists them, in every revision and without structured results", async () => {
    for (const { before, after } of await listOnce()) {
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
