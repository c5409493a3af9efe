import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { isValidSchema } from "../rules/json-schema.ts";
import { contentOf, isGood, isWriter, listAll, type ListedTool, textOf } from "../wires/calls.ts";
import type { Fields, Message } from "../wires/message.ts";
import { makeValue } from "./make-value.ts";
import {
  callTool,
  type Check,
  codeOf,
  complaintsAboutResult,
  type Note,
  type SampleCall,
  type Visit,
} from "./visit.ts";

const NAME = /^[\w./-]{1,128}$/;
/** A word that says that something will be different afterwards. */
const CHANGING =
  /^(?:append|create|delete|drop|edit|insert|move|remove|rename|send|update|upload|write)(?=[_.A-Z-])/;
/** What four characters cost, about. */
const CHARACTERS_PER_TOKEN = 4;
const MOST_TOKENS = { list: 10_000, tool: 2000 };
const MOST_CHARACTERS = 100_000;
const MOST_FILES = 1000;

export const tools: Check = {
  name: "tools",
  async run({ wire, capabilities, tools: listed }, note) {
    if (capabilities["tools"] === undefined) return "absent";
    for (const { name, inputSchema, outputSchema } of listed) {
      if (!NAME.test(name))
        note("tools/name-shape", `The name ${JSON.stringify(name)} is one that hosts refuse`);
      if (inputSchema?.["type"] !== "object") note("tools/input-schema-object", `${name} takes no object`);
      for (const schema of [inputSchema ?? {}, outputSchema ?? {}])
        if (isValidSchema(schema) !== true) note("schema/valid", `A schema of ${name} is not a JSON Schema`);
    }
    const again = await listAll(wire, "tools/list");
    if (JSON.stringify(again) !== JSON.stringify(listed))
      note("tools/deterministic-order", "A second list of tools is another one");
    return undefined;
  },
};

/** What a model has to choose by, and what that costs it. */
export const presentation: Check = {
  name: "tools for agents",
  async run({ capabilities, tools: listed }, note) {
    if (capabilities["tools"] === undefined) return "absent";
    for (const tool of listed) {
      const { name, description, annotations = {} } = tool;
      if (typeof description !== "string" || description.trim().length < 10)
        note("agents/description", `${name} has no description`);
      const isReader = !isWriter(tool);
      if (isReader && annotations["destructiveHint"] === true)
        note("agents/annotations", `${name} says that it only reads and that it destroys`);
      if (isReader && CHANGING.test(name))
        note("agents/annotations", `${name} says that it only reads, and its name says otherwise`);
      if (tokensOf([tool]) > MOST_TOKENS.tool)
        note("agents/list-size", `${name} costs a model about ${tokensOf([tool])} tokens`);
    }
    if (tokensOf(listed) > MOST_TOKENS.list)
      note("agents/list-size", `The list of tools costs a model about ${tokensOf(listed)} tokens`);
    return undefined;
  },
};

/** About: models count differently. */
export function tokensOf(listed: readonly ListedTool[]): number {
  const shown = listed.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return Math.round(JSON.stringify(shown).length / CHARACTERS_PER_TOKEN);
}

/** A tool of 2025-11-25 that cannot be called otherwise. */
const needsTask = ({ execution }: ListedTool): boolean => execution?.["taskSupport"] === "required";

/** The calls that are known to work; of a stranger what it says is harmless, with arguments made for it. */
export function callsOf({
  known,
  tools: listed,
  callsAll,
}: Pick<Visit, "known" | "tools" | "callsAll">): readonly SampleCall[] {
  if (known) return known.calls ?? [];
  return listed
    .filter((tool) => (callsAll || !isWriter(tool)) && !needsTask(tool))
    .map(({ name, inputSchema }) => ({ name, args: makeValue(inputSchema ?? {}) as Fields }));
}

export const calls: Check = {
  name: "tool calls",
  async run(visit, note) {
    if (visit.capabilities["tools"] === undefined) return "absent";
    const byName = new Map(visit.tools.map((tool) => [tool.name, tool]));
    const all = callsOf(visit);
    for (const [at, { name, args }] of all.entries()) {
      // Whether a known server reports anything on calls as short as these depends on the machine.
      const meta = visit.known ? {} : { progressToken: `call ${at}` };
      const tool = byName.get(name);
      const watch = !visit.known && tool && !isWriter(tool) ? watchFiles(visit.folder) : () => undefined;
      if (visit.slow?.has(name)) continue;
      const response = await callTool(visit, name, args, meta).catch((error: unknown) => {
        if (visit.known || !/was heard in/.test(String(error))) throw error;
        visit.slow?.add(name);
        note("agents/slow", `${name} does not answer in time`);
      });
      visit.results.push(response?.result);
      if (!response) continue;
      const changed = watch();
      if (changed !== undefined)
        note("agents/reads-only", `${name} says that it only reads, and changes files`, changed);
      if (tool) noteOnResult(visit, tool, response, note);
      else note("known", `${name} is not in the list of tools`);
      if (visit.known && !isGood(response))
        note("known", `${name} ${JSON.stringify(args)} fails`, JSON.stringify(response));
    }
    if (visit.known) noteUntried(visit, note);
    await noteWrongErrors(visit, note);
    return all.length === 0 ? "absent" : undefined;
  },
};

function noteOnResult({ revision }: Visit, tool: ListedTool, response: Message, note: Note): void {
  const complaint = complaintsAboutResult(tool, response, revision);
  if (complaint !== undefined) note("tools/structured-content-conforms", `${tool.name} ${complaint}`);
  if (response.result?.["structuredContent"] !== undefined && contentOf(response).length === 0)
    note("tools/structured-content-as-text", `${tool.name} says nothing in its content`);
  const { length } = textOf(response);
  if (length > MOST_CHARACTERS)
    note("agents/result-size", `${tool.name} gives more than ${MOST_CHARACTERS} characters`, `${length}`);
}

/** What changes in the client's own folder from now on: the first file that does. */
function watchFiles(folder: string): () => string | undefined {
  const before = listFiles(folder);
  return () => {
    const after = listFiles(folder);
    const names = new Set([...before.keys(), ...after.keys()]);
    return [...names].find((name) => before.get(name) !== after.get(name));
  };
}

function listFiles(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).slice(0, MOST_FILES);
  const stateOf = (name: string): string => {
    const { mtimeMs, size } = lstatSync(join(folder, name));
    return `${mtimeMs} ${size}`;
  };
  return new Map(names.map((name) => [name, stateOf(name)]));
}

function noteUntried({ known, tools: listed }: Visit, note: Note): void {
  const tried = new Set([...(known?.calls ?? []).map(({ name }) => name), ...(known?.elsewhere ?? [])]);
  for (const { name } of listed) if (!tried.has(name)) note("known", `${name} is never called`);
}

async function noteWrongErrors(visit: Visit, note: Note): Promise<void> {
  const code = codeOf(await callTool(visit, "no_such_tool", {}));
  // The specification names this error, and nowhere says MUST.
  if (code !== "-32602")
    note("tools/unknown-tool-is-invalid-params", `An unknown tool gets ${code} instead of -32602`);
  const mayCall = (tool: ListedTool): boolean =>
    !needsTask(tool) && (visit.known !== undefined || visit.callsAll || !isWriter(tool));
  for (const { name, inputSchema } of visit.tools.filter(mayCall)) {
    const required = inputSchema?.required ?? [];
    if (required.length === 0) continue;
    const response = await callTool(visit, name, {});
    if (isGood(response))
      note("tools/inputs-validated", `${name} works without the arguments that it requires`);
    else if (response.error && response.error.code !== -32602)
      note("tools/bad-arguments", `${name} without its arguments gets ${response.error.code}`);
    const said = response.error?.message ?? textOf(response);
    if (!isGood(response) && !required.some((argument) => said.includes(argument)))
      note("agents/errors", `${name} without its arguments does not say which are missing`, said);
  }
}
