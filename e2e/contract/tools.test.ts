import { countTokens } from "gpt-tokenizer";
import { describe, expect, it } from "vitest";

import { type Revision, REVISIONS } from "../support/revisions.ts";
import { openServer } from "./program.ts";
import { SERVERS } from "./servers.ts";
import { type ContractTool, isWriter, listContract } from "./tool.ts";

type Complaint = (tool: ContractTool) => string | false | undefined;

const isText = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";

/** What every tool says of itself. */
const FACTS: readonly Complaint[] = [
  ({ title }) => !isText(title) && "has no title",
  ({ description }) => !isText(description) && "has no description",
  ({ outputSchema }) => outputSchema?.["type"] !== "object" && "has no outputSchema of an object",
  ({ inputSchema }) =>
    inputSchema["additionalProperties"] !== false && "takes arguments that it does not name",
  ({ annotations }) => typeof annotations?.["readOnlyHint"] !== "boolean" && "has no readOnlyHint",
  ({ annotations }) => typeof annotations?.["openWorldHint"] !== "boolean" && "has no openWorldHint",
  (tool) =>
    isWriter(tool) && typeof tool.annotations?.["destructiveHint"] !== "boolean" && "has no destructiveHint",
  ({ _meta }) =>
    !/^[1-9]\d*-[0-9a-f]{8}$/.test(String(_meta?.["dev.suite/schema"])) && "has no dev.suite/schema",
  ({ _meta }) => !isText(_meta?.["dev.suite/effects"]) && "has no dev.suite/effects",
  ({ _meta }) => typeof _meta?.["dev.suite/deterministic"] !== "boolean" && "has no dev.suite/deterministic",
];

/** What every tool that changes something takes and gives. */
const OF_WRITERS: readonly Complaint[] = [
  ({ inputSchema }) => inputSchema.properties?.["dry_run"]?.["type"] !== "boolean" && "takes no dry_run",
  ({ inputSchema }) => inputSchema.required?.includes("dry_run") && "cannot do without dry_run",
  ({ outputSchema }) =>
    outputSchema?.properties?.["changed"]?.["type"] !== "array" && "does not list what changed",
  ({ outputSchema }) => !outputSchema?.properties?.["dry_run"] && "does not say whether it was a dry run",
];

const complain = (tool: ContractTool, rules: readonly Complaint[]): readonly string[] =>
  rules
    .map((rule) => rule(tool))
    .filter((complaint) => typeof complaint === "string")
    .map((complaint) => `${tool.name} ${complaint}`);

describe.each(SERVERS)("the tools of $name", (server) => {
  it("say what they are, take and give, and do to the world", async () => {
    const tools = await listContract(await openServer(server));
    expect(tools.length).toBeGreaterThan(0);
    expect(tools.flatMap((tool) => complain(tool, FACTS))).toEqual([]);
    expect(tools.filter(isWriter).flatMap((tool) => complain(tool, OF_WRITERS))).toEqual([]);
  });

  it(`cost a model no more than ${server.tokens} tokens`, async () => {
    const tools = await listContract(await openServer(server));
    const seen = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    const costs = seen.map((tool) => `${countTokens(JSON.stringify(tool))} ${tool.name}`);
    const total = countTokens(JSON.stringify(seen));
    expect(total, `${total} tokens:\n${costs.join("\n")}`).toBeLessThanOrEqual(server.tokens);
  });

  it("are introduced in the same words before and after the server is loaded", async () => {
    const names = (await listContract(await openServer(server))).map(({ name }) => name);
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
});

describe.each(SERVERS)("the first list of $name", (server) => {
  it.each<[string, (first: string) => readonly string[]]>([
    ["all tools", () => []],
    ["--read-only", () => ["--read-only"]],
    ["--tools", (first) => ["--tools", first]],
    ["--exclude-tools", (first) => ["--exclude-tools", first]],
    ["--results text", () => ["--results", "text"]],
  ])("is what the loaded server lists, in every revision: %s", async (_, toArgs) => {
    const [first = expect.fail("There are no tools")] = await listContract(await openServer(server));
    const list = async (revision: Revision) => {
      const wire = await openServer(server, toArgs(first.name), { revision });
      const before = await wire.request("tools/list");
      // Nobody can answer this before the server is there.
      await wire.request("resources/list");
      const after = await wire.request("tools/list");
      return { before: before.result, after: after.result };
    };
    for (const { before, after } of await Promise.all(REVISIONS.map(list))) {
      expect(before).toHaveProperty("tools");
      expect(before).toEqual(after);
    }
  });
});

describe("the rules themselves", () => {
  const bare: ContractTool = { name: "bare", inputSchema: { type: "object" } };

  it("find everything that is not there", () => {
    expect(complain(bare, FACTS)).toHaveLength(FACTS.length);
    expect(complain(bare, OF_WRITERS)).toHaveLength(OF_WRITERS.length - 1);
    const strict = { ...bare, inputSchema: { type: "object", required: ["dry_run"] } };
    expect(complain(strict, OF_WRITERS)).toContain("bare cannot do without dry_run");
  });
});
