import type { Context, MaybePromise, Params } from "@suite/core";

import { toSuggestion } from "../../domain/errors/suggest.ts";
import type { ServerConfig } from "../contract/create-server.ts";
import type { SelectableTool } from "../contract/selection.ts";
import type { ToolDefinition } from "../contract/tool.ts";
import type { OptionsOf, OptionSpec, OptionTable, PositionalTable } from "../options/option.ts";
import { defineParts, type ServerParts } from "./parts.ts";
import type { Nothing, ProgramContext, ProgramOptions } from "./program.ts";

/** The tools of the server by name: an added tool may call theirs, and what they change can be undone. */
export type ToolsByName<State> = (name: string) => ToolDefinition<State>;

interface ToolChanges<State, Given> {
  /** Tools by name that are not offered. */
  readonly remove?: readonly string[];
  /** Tools by name, made into others: another description, a question first, a narrower `run`. */
  readonly change?: { readonly [tool: string]: (tool: ToolDefinition<State>) => ToolDefinition<State> };
  /** Applied to every tool that is left, before yours are added. */
  readonly changeAll?: (tool: ToolDefinition<State>) => ToolDefinition<State>;
  /** New names by old ones. A call by the old name is answered with the new one. */
  readonly rename?: { readonly [tool: string]: string };
  readonly add?: (tools: ToolsByName<State>, options: Given) => readonly ToolDefinition<State>[];
}

export interface Changes<
  State,
  Own extends OptionTable,
  Positionals extends PositionalTable,
  More extends OptionTable,
> extends ToolChanges<State, ProgramOptions<Own & More, Positionals>> {
  /** The command, and the name that clients see. */
  readonly name: string;
  readonly version: string;
  /** One sentence. */
  readonly description?: string;
  /** Tells the model how to use the server, instead of what the original says. */
  readonly instructions?: string;
  /** Other defaults of its options. */
  readonly defaults?: Partial<OptionsOf<Own>>;
  /** Options of your own. */
  readonly options?: More;
}

/** Another server made of this one. Everything that is not named stays, and the contract holds for what is added. */
export function extendServer<
  State,
  Own extends OptionTable,
  Positionals extends PositionalTable,
  const More extends OptionTable = Nothing,
>(
  base: ServerParts<State, Own, Positionals>,
  changes: Changes<State, Own, Positionals, More>,
): ServerParts<State, Own & More, Positionals> {
  const { name, version, description = base.description, instructions, defaults = {} } = changes;
  // What the build wrote of the original would no longer be true.
  const {
    introduction: _introduction,
    toolList: _toolList,
    skills: _skills,
    create: _create,
    ...kept
  } = base;
  const options = { ...withDefaults(base.options ?? {}, defaults), ...changes.options } as Own & More;
  return defineParts<State, Own & More, Positionals>({
    ...kept,
    name,
    version,
    description,
    options,
    examples: [],
    configure: async (given: ProgramOptions<Own & More, Positionals>, context: ProgramContext) => {
      const { remove = [], rename = {} } = changes;
      const before = new Map(Object.entries(rename).map(([old, now]) => [now, old]));
      const toOld = (tool: string): string => before.get(tool) ?? tool;
      const { contract } = context;
      // A tool may do what others are for: then it asks whether they are offered, by the names that it knows.
      const chosen = {
        tools: contract.tools.map(toOld),
        excludeTools: [...contract.excludeTools.map(toOld), ...remove],
      };
      const config = await base.configure({ ...given, ...chosen } as never, {
        ...context,
        contract: { ...contract, ...chosen },
      });
      const own = { name, version, description, ...(instructions !== undefined && { instructions }) };
      return {
        ...config,
        ...own,
        tools: changeTools(config, changes, given),
        whyUnavailable: (tool: SelectableTool) =>
          config.whyUnavailable?.({ ...tool, name: toOld(tool.name) }),
      };
    },
  } as unknown as Parameters<typeof defineParts<State, Own & More, Positionals>>[0]);
}

function withDefaults(options: OptionTable, defaults: Readonly<Record<string, unknown>>): OptionTable {
  requireKnown("option", Object.keys(defaults), Object.keys(options));
  const entries = Object.entries(defaults).map(([key, value]) => [key, { ...options[key], default: value }]);
  return { ...options, ...(Object.fromEntries(entries) as { readonly [key: string]: OptionSpec }) };
}

function changeTools<State, Given>(
  { tools }: ServerConfig<State>,
  changes: ToolChanges<State, Given>,
  given: Given,
): readonly ToolDefinition<State>[] {
  const { remove = [], change = {}, rename = {}, changeAll = (tool) => tool, add = () => [] } = changes;
  const names = tools.map(({ name }) => name);
  requireKnown("tool", [...remove, ...Object.keys(change), ...Object.keys(rename)], names);
  const byName: ToolsByName<State> = (name) => {
    requireKnown("tool", [name], names);
    return tools.find((tool) => tool.name === name) as ToolDefinition<State>;
  };
  const left = tools
    .filter(({ name }) => !remove.includes(name))
    .map((tool) => changeAll(change[tool.name]?.(tool) ?? tool))
    .map((tool) => renameTool(tool, rename[tool.name]));
  return [...left, ...add(byName, given)];
}

/** Descriptions of other tools may still name the old one: a call by it is answered with the new name. */
export const renameTool = <State>(
  tool: ToolDefinition<State>,
  name: string | undefined,
): ToolDefinition<State> =>
  name === undefined ? tool : { ...tool, name, alsoKnownAs: [...(tool.alsoKnownAs ?? []), tool.name] };

/** A misspelt name would leave a tool in the list that was meant to go. */
function requireKnown(what: string, given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(
    `The server has no ${what} ${JSON.stringify(unknown)}${toSuggestion(unknown, new Set(known))}`,
  );
}

/** The tool, with something done before each call: a look, a note in a log, or a Fault that refuses it. */
export const beforeRun = <State>(
  tool: ToolDefinition<State>,
  before: (input: Params, context: Context<State>, tool: string) => MaybePromise<void>,
): ToolDefinition<State> => ({
  ...tool,
  run: (input, context) => {
    const done = before(input, context, tool.name);
    return done instanceof Promise ? done.then(() => tool.run(input, context)) : tool.run(input, context);
  },
});
