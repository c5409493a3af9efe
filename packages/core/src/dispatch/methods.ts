import { invalidParams } from "../jsonrpc/error.ts";
import type { Params } from "../jsonrpc/message.ts";
import type { Catalog } from "../features/catalog.ts";
import { complete } from "../features/completion.ts";
import type { Context } from "../features/context.ts";
import type { ExtensionMethod } from "../features/extension.ts";
import type { MaybePromise } from "../values/maybe-promise.ts";
import { paginate, readCursor, type Page } from "../features/pagination.ts";
import { getPrompt, unknownPrompt } from "../features/prompts.ts";
import { findResource, listResources, readDirectory, readResource, readUri } from "../features/resources.ts";
import { callTool, readCallArguments, unknownTool, type FailureReporting } from "../features/tools.ts";
import { suits } from "../model/capabilities.ts";
import type { Caching } from "../model/caching.ts";
import type { Prompt, ResourceTemplate, Tool } from "../model/entities.ts";
import type { Call, Result, Target } from "./call.ts";

/** What `prepare` finds out about a request before anything is run. */
export type PreparedCall = Pick<Call, "name" | "arguments" | "target">;

export interface Method {
  readonly prepare: (catalog: Catalog, params: Params) => PreparedCall;
  readonly run: (call: Call, catalog: Catalog, services: Services) => MaybePromise<Result>;
}

/** What methods need from the server besides its catalog. */
export interface Services extends FailureReporting {
  readonly caching: Caching;
}

const NO_TARGET: PreparedCall = { name: undefined, arguments: undefined, target: undefined };

const atNothing = (): PreparedCall => NO_TARGET;

function readName(params: Params): string {
  const { name } = params;
  if (typeof name !== "string") throw invalidParams("name must be a string");
  return name;
}

function atTool(catalog: Catalog, params: Params): PreparedCall {
  const name = readName(params);
  const entry = catalog.tools?.get(name);
  const target: Target | undefined = entry && { kind: "tool", entry };
  return { name, arguments: readCallArguments(params), target };
}

function atPrompt(catalog: Catalog, params: Params): PreparedCall {
  const name = readName(params);
  const entry = catalog.prompts?.get(name);
  const target: Target | undefined = entry && { kind: "prompt", entry };
  return { name, arguments: readCallArguments(params), target };
}

function atResource(catalog: Catalog, params: Params): PreparedCall {
  const name = readUri(params);
  return { name, arguments: undefined, target: findResource(catalog, name) };
}

/** A request of an extension is aimed at a resource, if at anything. */
export const toMethod = (answer: ExtensionMethod<never>): Method => ({
  prepare: (_catalog, { uri }) => (typeof uri === "string" ? { ...NO_TARGET, name: uri } : NO_TARGET),
  run: ({ params, context }) => answer(params, context as Context<never>),
});

const toListResult = (key: string, page: Page<unknown>, caching: Caching): Result => ({
  [key]: page.items,
  ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
  ...caching.lists,
});

export const METHODS: { readonly [method: string]: Method } = {
  "tools/list": {
    prepare: atNothing,
    run({ params, context }, catalog, { caching }) {
      const { capabilities } = context.client;
      const tools = (catalog.tools?.values() ?? [])
        .filter(({ definition }) => suits(definition, capabilities))
        .map((entry) => entry.listed());
      const serialOf = ({ name }: Tool): number => catalog.tools?.serialOf(name) ?? 0;
      const page = paginate("tools", tools, serialOf, catalog.pageSize, readCursor(params));
      return toListResult("tools", page, caching);
    },
  },
  "tools/call": {
    prepare: atTool,
    run({ name, arguments: args, target, context }, _catalog, services) {
      if (target?.kind !== "tool") throw unknownTool(name ?? "");
      return callTool(target.entry, args ?? {}, context, services);
    },
  },
  "resources/list": {
    prepare: atNothing,
    run: async ({ params, context }, catalog, { caching }) =>
      toListResult("resources", await listResources(catalog, context, readCursor(params)), caching),
  },
  "resources/templates/list": {
    prepare: atNothing,
    run({ params }, catalog, { caching }) {
      const templates = (catalog.templates?.values() ?? []).map((entry) => entry.listed);
      const serialOf = (item: ResourceTemplate): number => catalog.templates?.serialOf(item.uriTemplate) ?? 0;
      const page = paginate("templates", templates, serialOf, catalog.pageSize, readCursor(params));
      return toListResult("resourceTemplates", page, caching);
    },
  },
  "resources/read": {
    prepare: atResource,
    async run({ name, target, context }, _catalog, { caching }) {
      const resource = target?.kind === "resource" || target?.kind === "template" ? target : undefined;
      const result = await readResource(resource, name ?? "", context);
      return { ...result, ...caching.reads, ...resource?.entry.definition.cache };
    },
  },
  "resources/directory/read": {
    prepare: atResource,
    run: async ({ params, name, target, context }) => {
      const resource = target?.kind === "template" ? target : undefined;
      const { resources, nextCursor } = await readDirectory(
        resource,
        name ?? "",
        context,
        readCursor(params),
      );
      return { resources, ...(nextCursor !== undefined && { nextCursor }) };
    },
  },
  "prompts/list": {
    prepare: atNothing,
    run({ params }, catalog, { caching }) {
      const prompts = (catalog.prompts?.values() ?? []).map((entry) => entry.listed);
      const serialOf = ({ name }: Prompt): number => catalog.prompts?.serialOf(name) ?? 0;
      const page = paginate("prompts", prompts, serialOf, catalog.pageSize, readCursor(params));
      return toListResult("prompts", page, caching);
    },
  },
  "prompts/get": {
    prepare: atPrompt,
    run({ name, arguments: args, target, context }) {
      if (target?.kind !== "prompt") throw unknownPrompt(name ?? "");
      return getPrompt(target.entry, args ?? {}, context);
    },
  },
  "completion/complete": {
    prepare: atNothing,
    run: ({ params, context }, catalog) => complete(catalog, params, context),
  },
};
