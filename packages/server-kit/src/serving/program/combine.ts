import type { Context, ResourceDefinition, ResourceTemplateDefinition } from "@suite/core";

import type { ServerConfig } from "../contract/create-server.ts";
import type { ToolDefinition } from "../contract/tool.ts";
import type { OptionSpec, OptionTable } from "../options/option.ts";
import { renameTool } from "./extend.ts";
import { defineParts, type ServerParts } from "./parts.ts";
import type { ProgramContext, ProgramOptions } from "./program.ts";

export interface Combination {
  readonly name: string;
  readonly version: string;
  /** One sentence. */
  readonly description: string;
  /** Instead of what the servers say, one after the other. */
  readonly instructions?: string;
  /** By a short word each, of small letters and digits: `git` makes `--git-no-undo` of `--no-undo`. */
  readonly servers: { readonly [word: string]: AnyParts };
}

// oxlint-disable-next-line typescript/no-explicit-any -- servers with any state and options, each of which is given its own.
type AnyParts = ServerParts<any, any, any>;
type States = Readonly<Record<string, unknown>>;
type Config = ServerConfig<never>;
type Values = Readonly<Record<string, unknown>>;

/**
 * One program, one list of tools, one set of options. Where two servers have a tool, a group or a prompt of the same name, each
 * gets its server's word in front.
 */
export function combineServers(combination: Combination): AnyParts {
  const { name, version, description, servers } = combination;
  const entries = Object.entries(servers);
  for (const [word] of entries)
    if (!WORD.test(word)) throw new TypeError(`${JSON.stringify(word)} is not of small letters and digits`);
  const give = (word: string, given: Values): ProgramOptions => toOwnOptions(word, servers[word], given);
  return defineParts<States, OptionTable>({
    name,
    version,
    description,
    options: Object.assign({}, ...entries.map(([word, server]) => toOptions(word, server))) as OptionTable,
    validate: (given) => entries.forEach(([word, server]) => server.validate?.(give(word, given))),
    checks: (given) =>
      entries.flatMap(([word, server]) =>
        (server.checks?.(give(word, given)) ?? []).map((check) => ({
          ...check,
          name: `${word} ${check.name}`,
        })),
      ),
    configure: async (given, context: ProgramContext) => {
      const made = entries.map(async ([word, server]): Promise<readonly [string, Config]> => [
        word,
        (await server.configure(give(word, given), context)) as unknown as Config,
      ]);
      return merge(combination, await Promise.all(made));
    },
  });
}

/** No two of them make the same option of different ones. */
const WORD = /^[a-z][a-z0-9]*$/;

const capitalize = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
const toKey = (word: string, key: string): string => word + capitalize(key);
const toFlag = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const ownOptions = ({ options, positionals }: AnyParts): OptionTable =>
  ({ ...options, ...positionals }) as OptionTable;

/** Arguments without a flag become flags: only one server could have them. */
function toOptions(word: string, server: AnyParts): OptionTable {
  const own = ownOptions(server);
  const toNew = (key: string): string => (Object.hasOwn(own, key) ? toKey(word, key) : key);
  const oldFlags = new Set(Object.values(own).map(({ flag }) => flag));
  // Descriptions name other options of the same server.
  const describe = (text: string): string =>
    text.replaceAll(/--[a-z][a-z-]*/g, (flag) =>
      oldFlags.has(flag as `--${string}`) ? `--${word}-${flag.slice(2)}` : flag,
    );
  const rename = ([key, spec]: [string, OptionSpec]): [string, OptionSpec] => {
    const { short: _short, needs, askedUnless, ...rest } = spec;
    const flag = spec.secret ? undefined : `--${word}-${spec.flag?.slice(2) ?? toFlag(key)}`;
    const { group = "Options" } = spec;
    const changed = {
      ...rest,
      description: describe(rest.description),
      group: group === capitalize(word) ? group : `${capitalize(word)}: ${group}`,
      ...(flag !== undefined && { flag }),
      ...(needs !== undefined && { needs: [needs].flat().map(toNew) }),
      ...(askedUnless && { askedUnless: askedUnless.map(toNew) }),
    };
    return [toKey(word, key), changed as OptionSpec];
  };
  return Object.fromEntries(Object.entries(own).map(rename));
}

function toOwnOptions(word: string, server: AnyParts | undefined, given: Values): ProgramOptions {
  const own = Object.keys(server ? ownOptions(server) : {}).map((key) => [key, given[toKey(word, key)]]);
  return { ...given, ...(Object.fromEntries(own) as Values) } as unknown as ProgramOptions;
}

function merge(combination: Combination, made: readonly (readonly [string, Config])[]): ServerConfig<States> {
  const { name, version, description, instructions } = combination;
  const configs = made.map(([, config]) => config);
  const isShared = sharedNames(configs);
  refuseSharedAddresses(made);
  const state: States = Object.fromEntries(made.map(([word, config]) => [word, config.state]));
  const origins = new Map<string, readonly [Config, ToolDefinition<never>]>();
  const tools = made.flatMap(([word, config]) =>
    config.tools.map((tool) => {
      const own = isShared.tools(tool.name) ? renameTool(tool, `${word}_${tool.name}`) : tool;
      origins.set(own.name, [config, tool]);
      const group =
        tool.group !== undefined && isShared.groups(tool.group) ? `${word}-${tool.group}` : tool.group;
      return lendState({ ...own, ...(group !== undefined && { group }) }, word, state);
    }),
  );
  const lend = <T extends object>(pick: (config: Config) => readonly T[] | undefined): T[] =>
    made.flatMap(([word, config]) => (pick(config) ?? []).map((item) => lendState(item, word, state)));
  const prompts = made.flatMap(([word, { prompts: own = [] }]) =>
    own.map((prompt) =>
      lendState(
        isShared.prompts(prompt.name) ? { ...prompt, name: `${word}_${prompt.name}` } : prompt,
        word,
        state,
      ),
    ),
  );
  const merged = {
    name,
    version,
    description,
    instructions: instructions ?? configs.map((config) => config.instructions ?? "").join("\n\n"),
    state,
    tools,
    resources: lend<ResourceDefinition<never>>((config) => config.resources),
    templates: lend<ResourceTemplateDefinition<never>>((config) => config.templates),
    prompts,
    checksResults: configs.some(({ checksResults }) => checksResults !== false),
    whyUnavailable: ({ name: tool }: { readonly name: string }) => {
      const [config, original] = origins.get(tool) ?? [];
      return original && config?.whyUnavailable?.(original);
    },
    admitSubscriber: async (uri: string, context: Context<States>) => {
      for (const [word, { admitSubscriber }] of made)
        await admitSubscriber?.(uri, lendContext(context, word));
    },
    redact: (data: unknown) => configs.reduce((left, { redact }) => redact?.(left) ?? left, data),
    created: (server: never) => configs.forEach(({ created }) => created?.(server)),
    dispose: async () => {
      await Promise.all(configs.map(async (config) => config.dispose?.(config.state)));
    },
  };
  return merged as unknown as ServerConfig<States>;
}

/** Who reads an address that two servers have is not for their order to decide. */
function refuseSharedAddresses(made: readonly (readonly [string, Config])[]): void {
  const owners = new Map<string, string>();
  for (const [word, { resources = [], templates = [] }] of made)
    for (const address of [
      ...resources.map(({ uri }) => uri),
      ...templates.map(({ uriTemplate }) => uriTemplate),
    ]) {
      const owner = owners.get(address) ?? word;
      if (owner !== word)
        throw new TypeError(`${owner} and ${word} both have ${address}: only one server of a program can`);
      owners.set(address, word);
    }
}

function sharedNames(
  configs: readonly Config[],
): Record<"tools" | "groups" | "prompts", (name: string) => boolean> {
  const shared = (list: (config: Config) => readonly (string | undefined)[]) => (name: string) =>
    configs.filter((config) => list(config).includes(name)).length > 1;
  return {
    tools: shared(({ tools }) => tools.map((tool) => tool.name)),
    groups: shared(({ tools }) => tools.map((tool) => tool.group)),
    prompts: shared(({ prompts = [] }) => prompts.map((prompt) => prompt.name)),
  };
}

/** What a server defined is called with its own state, in whichever argument it expects that. */
function lendState<T extends object>(definition: T, word: string, all: States): T {
  const lendArgument = (argument: unknown): unknown => {
    if (argument === all) return all[word];
    const holdsAll =
      typeof argument === "object" && argument !== null && "state" in argument && argument.state === all;
    return holdsAll ? lendContext(argument as Context<States>, word) : argument;
  };
  const lend = (value: unknown): unknown => {
    if (typeof value === "function")
      return (...args: readonly unknown[]): unknown =>
        (value as (...given: unknown[]) => unknown)(...args.map(lendArgument));
    if (Array.isArray(value) || typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, lend(inner)]));
  };
  const changed = Object.entries(definition).filter(([key]) => TAKE_STATE.has(key));
  return { ...definition, ...(Object.fromEntries(changed.map(([key, value]) => [key, lend(value)])) as T) };
}

/** Members of definitions that are, or hold, functions with the state or a context among their arguments. */
const TAKE_STATE: ReadonlySet<string> = new Set(
  "run targets mustConfirm read list directory subscribe render complete arguments".split(" "),
);

/** Contexts have private members, so only a proxy can stand for one. */
const lendContext = <State>(context: Context<States>, word: string): Context<State> =>
  new Proxy(context, {
    get: (inner, key): unknown => (key === "state" ? inner.state[word] : Reflect.get(inner, key, inner)),
  }) as unknown as Context<State>;
