import type { SampleCall } from "../../contract/contract-server.ts";
import { complaintsAboutTool } from "../../contract/rules.ts";
import { type ContractTool, isWriter } from "../../contract/tool.ts";
import { errorOf, isGood, listAll } from "../../support/calls.ts";
import { isValidSchema } from "../../support/json-schema.ts";
import type { Fields } from "../../support/message.ts";
import { complaintsAboutViews } from "../../support/views.ts";
import { makeValue } from "../make-value.ts";
import {
  type BedCheck,
  type BedVisit,
  callTool,
  codeOf,
  complaintsAboutResult,
  type Notes,
} from "../visit.ts";

const NAME = /^[\w./-]{1,128}$/;

export const tools: BedCheck = {
  capability: "tools",
  async run({ wire, capabilities, tools: listed }, { find, advise }) {
    if (capabilities["tools"] === undefined) return "absent";
    for (const { name, inputSchema, outputSchema } of listed) {
      if (!NAME.test(name)) advise(`The name ${JSON.stringify(name)} is one that hosts refuse`);
      if (inputSchema["type"] !== "object") find(`${name} takes no object`);
      for (const schema of [inputSchema, outputSchema ?? {}])
        if (isValidSchema(schema) !== true) find(`A schema of ${name} is not a JSON Schema`);
    }
    const again = await listAll(wire, "tools/list");
    if (JSON.stringify(again) !== JSON.stringify(listed)) advise("A second list of tools is another one");
    return undefined;
  },
};

/** A tool of 2025-11-25 that cannot be called otherwise. */
const needsTask = ({ execution }: ContractTool): boolean => execution?.["taskSupport"] === "required";

/** Of ours the calls that are known to work; of others what they say is harmless, with arguments made for it. */
export function callsOf({
  stage,
  tools: listed,
  callsAll,
}: Pick<BedVisit, "stage" | "tools" | "callsAll">): readonly SampleCall[] {
  if (stage) return stage.calls ?? [];
  return listed
    .filter((tool) => (callsAll || !isWriter(tool)) && !needsTask(tool))
    .map(({ name, inputSchema }) => ({ name, args: makeValue(inputSchema) as Fields }));
}

export const calls: BedCheck = {
  capability: "tool calls",
  async run(visit, notes) {
    if (visit.capabilities["tools"] === undefined) return "absent";
    const byName = new Map(visit.tools.map((tool) => [tool.name, tool]));
    const all = callsOf(visit);
    for (const [at, { name, args }] of all.entries()) {
      // Whether ours report anything on calls as short as these depends on the machine.
      const meta = visit.stage ? {} : { progressToken: `call ${at}` };
      const response = await callTool(visit, name, args, meta);
      visit.results.push(response.result);
      const tool = byName.get(name);
      if (!tool) notes.find(`${name} is not in the list of tools`);
      const complaint = tool && complaintsAboutResult(tool, response, visit.revision);
      if (complaint !== undefined) notes.find(`${name} ${complaint}`);
      if (visit.stage) findInOurs(notes, name, args, response);
    }
    if (visit.stage) findUntried(visit, notes);
    await findWrongErrors(visit, notes);
    return all.length === 0 ? "absent" : undefined;
  },
};

function findInOurs(
  { find }: Notes,
  name: string,
  args: Fields,
  response: Awaited<ReturnType<typeof callTool>>,
): void {
  if (!isGood(response))
    find(`${name} ${JSON.stringify(args)} fails: ${JSON.stringify(response).slice(0, 500)}`);
  for (const words of complaintsAboutViews(response, args)) find(`${name}: ${words}`);
}

function findUntried({ stage, tools: listed }: BedVisit, { find }: Notes): void {
  const tried = new Set([...(stage?.calls ?? []).map(({ name }) => name), ...(stage?.elsewhere ?? [])]);
  for (const { name } of listed) if (!tried.has(name)) find(`${name} is never called`);
}

async function findWrongErrors(visit: BedVisit, { find, advise }: Notes): Promise<void> {
  const code = codeOf(await callTool(visit, "no_such_tool", {}));
  // The specification names this error, and nowhere says MUST.
  if (code !== "-32602") advise(`An unknown tool gets ${code} instead of -32602`);
  const isDemanding = ({ inputSchema }: ContractTool): boolean => (inputSchema.required ?? []).length > 0;
  const mayCall = (tool: ContractTool): boolean =>
    !needsTask(tool) && (visit.stage !== undefined || visit.callsAll || !isWriter(tool));
  for (const { name } of visit.tools.filter((tool) => isDemanding(tool) && mayCall(tool))) {
    const response = await callTool(visit, name, {});
    if (isGood(response)) find(`${name} works without the arguments that it requires`);
    else if (response.error && response.error.code !== -32602)
      advise(`${name} without its arguments gets ${response.error.code}`);
  }
}

/** What every tool of ours promises to agents. */
export const contract: BedCheck = {
  capability: "agent contract",
  async run(visit, { find }) {
    if (!visit.stage) return "absent";
    // Older revisions have no place for what the rules are about.
    if (visit.revision >= "2025-06-18")
      for (const words of visit.tools.flatMap(complaintsAboutTool)) find(words);
    for (const { name } of visit.tools) {
      const response = await callTool(visit, name, { "no such argument": 1 });
      const { result } = response;
      const { code, retryable } = errorOf(response);
      if (
        result?.["isError"] !== true ||
        code !== "invalid_input" ||
        retryable !== false ||
        !JSON.stringify(result?.["content"]).includes("no such argument")
      )
        find(
          `${name} does not refuse an argument that it does not know: ${JSON.stringify(result).slice(0, 300)}`,
        );
    }
    const { result } = await visit.wire.request("resources/read", { uri: "suite://environment" });
    for (const words of complaintsAboutEnvironment(result)) find(`suite://environment ${words}`);
    return undefined;
  },
};

const STATUSES = new Set<unknown>(["ok", "warning", "missing"]);

function complaintsAboutEnvironment(result: Fields | undefined): readonly string[] {
  const [content] = (result?.["contents"] ?? []) as readonly Fields[];
  if (content?.["uri"] !== "suite://environment" || content["mimeType"] !== "application/json")
    return ["is not given as JSON under its URI"];
  const report = JSON.parse(String(content["text"])) as Fields;
  const [first, ...others] = report["checks"] as readonly Fields[];
  const isCheck = ({ name, status, needed }: Fields): boolean =>
    typeof name === "string" && typeof needed === "string" && STATUSES.has(status);
  return [
    ...(typeof report["server"] === "string" ? [] : ["does not name the server"]),
    ...(/^\d+\.\d+\.\d+/.test(String(report["version"])) ? [] : ["does not say its version"]),
    ...(report["healthy"] === true ? [] : ["does not find the server well"]),
    ...(first?.["name"] === "node" && first["status"] === "ok" ? [] : ["does not say which Node runs"]),
    ...[first ?? {}, ...others]
      .filter((check) => !isCheck(check))
      .map((check) => `has ${JSON.stringify(check)}`),
  ];
}
