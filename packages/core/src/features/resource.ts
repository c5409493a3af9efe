import type { Annotations, Icon, MetaObject, ResourceContents } from "../model/content.ts";
import type { CacheHint, Resource, ResourceTemplate } from "../model/entities.ts";
import { pick } from "../values/pick.ts";
import { parseUriTemplate, type UriTemplate } from "../uri-template/uri-template.ts";
import type { VariablesIn } from "../uri-template/variables-of.ts";
import type { Completers } from "./completer.ts";
import type { MaybePromise } from "../values/maybe-promise.ts";
import { checkFunction, checkKeys, nameOf, type KeysOf } from "./check-definition.ts";
import type { Context } from "./context.ts";

/** Text, bytes, or contents spelled out; the URI and MIME type are filled in from the resource. */
export type ResourceBody = string | Uint8Array | ResourceContents | readonly ResourceContents[];

/** Called for the first subscriber of a URI; the function it returns is called after the last one has left. */
export type Watch<State> = (uri: string, changed: () => void, state: State) => (() => void) | void;

interface ResourceFacts<State> {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: Annotations;
  readonly icons?: readonly Icon[];
  readonly meta?: MetaObject;
  /** How long clients may cache what `read` returns; by default, as the server's `caching.reads` says. */
  readonly cache?: Partial<CacheHint>;
  /** `true` when the server itself calls `notify.resourceUpdated`; a function to start watching on demand. */
  readonly subscribe?: true | Watch<State>;
}

/** One resource with a URI of its own. */
export interface ResourceDefinition<in State = unknown> extends ResourceFacts<State> {
  readonly uri: string;
  readonly size?: number;
  readonly read: (context: Context<State>) => MaybePromise<ResourceBody>;
}

/** One page of the resources that a template lists. */
export interface ResourcePage {
  readonly resources: readonly Resource[];
  readonly nextCursor?: string;
}

type ReadDirectory<State> = (
  uri: string,
  context: Context<State>,
  cursor: string | undefined,
) => MaybePromise<ResourcePage | undefined>;

/** What `defineResourceTemplate` takes. */
export interface ResourceTemplateConfig<T extends string, State> extends ResourceFacts<State> {
  readonly uriTemplate: T;
  readonly read: (
    variables: VariablesIn<T>,
    context: Context<State>,
    uri: string,
  ) => MaybePromise<ResourceBody | undefined>;
  /** The resources of this template that `resources/list` shows, page by page. */
  readonly list?: (context: Context<State>, cursor: string | undefined) => MaybePromise<ResourcePage>;
  /** What is directly inside a directory, page by page; undefined for a URI that names none (`resources/directory/read`). */
  readonly directory?: ReadDirectory<State>;
  readonly complete?: Completers<keyof VariablesIn<T> & string, State>;
}

/** A template as a server takes it: what `defineResourceTemplate` returns. */
export interface ResourceTemplateDefinition<in State = unknown> extends ResourceFacts<State> {
  readonly uriTemplate: string;
  readonly read: (
    variables: never,
    context: Context<State>,
    uri: string,
  ) => MaybePromise<ResourceBody | undefined>;
  readonly list?: (context: Context<State>, cursor: string | undefined) => MaybePromise<ResourcePage>;
  readonly directory?: ReadDirectory<State>;
  readonly complete?: Completers<string, State>;
}

/** Declares a resource. What `read` throws becomes an error of the protocol. */
export const defineResource = <State = unknown>(
  definition: ResourceDefinition<State>,
): ResourceDefinition<State> => definition;

/** Declares a family of resources. `read` returns undefined for a URI that fits the template but names nothing. */
export const defineResourceTemplate = <const T extends string, State = unknown>(
  config: ResourceTemplateConfig<T, State>,
): ResourceTemplateDefinition<State> => config;

const FACT_KEYS = {
  name: "required",
  title: "optional",
  description: "optional",
  mimeType: "optional",
  annotations: "optional",
  icons: "optional",
  meta: "optional",
  cache: "optional",
  subscribe: "optional",
} as const satisfies KeysOf<ResourceFacts<never>>;

export const HINT_KEYS: KeysOf<CacheHint> = { ttlMs: "count", cacheScope: "optional" };

const KEYS: KeysOf<ResourceDefinition> = {
  ...FACT_KEYS,
  uri: "required",
  size: "optional",
  read: "required",
};

const TEMPLATE_KEYS: KeysOf<ResourceTemplateDefinition> = {
  ...FACT_KEYS,
  uriTemplate: "required",
  read: "required",
  list: "optional",
  directory: "optional",
  complete: "optional",
};

/** Clients parse URIs, and one that they cannot parse breaks the whole list for them (RFC 3986, section 3). */
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;

function checkReading(
  what: string,
  { read, cache = {} }: { read: unknown; cache?: Partial<CacheHint> },
): void {
  checkFunction(what, "read", read);
  checkKeys(`cache of ${what}`, cache, HINT_KEYS);
}

function checkResource(definition: ResourceDefinition<never>): void {
  const what = nameOf("resource", definition.name);
  checkKeys(what, definition, KEYS);
  checkReading(what, definition);
  if (!SCHEME.test(definition.uri)) throw new TypeError(`uri of ${what} is not a URI: it has no scheme`);
}

export class ResourceEntry {
  readonly definition: ResourceDefinition<never>;
  readonly listed: Resource;

  constructor(definition: ResourceDefinition<never>) {
    checkResource(definition);
    this.definition = definition;
    this.listed = { ...describe(definition), ...pick(definition, ["uri", "size"]) };
  }
}

export class TemplateEntry {
  readonly definition: ResourceTemplateDefinition<never>;
  readonly listed: ResourceTemplate;
  readonly template: UriTemplate;

  constructor(definition: ResourceTemplateDefinition<never>) {
    const what = nameOf("resource template", definition.name);
    checkKeys(what, definition, TEMPLATE_KEYS);
    checkReading(what, definition);
    this.definition = definition;
    this.template = parseUriTemplate(definition.uriTemplate);
    this.listed = { uriTemplate: definition.uriTemplate, ...describe(definition) };
  }
}

const describe = (facts: ResourceFacts<never>): Omit<Resource, "uri"> => {
  const { annotations, icons, meta } = facts;
  return {
    ...pick(facts, ["name", "title", "description", "mimeType"]),
    ...(annotations && { annotations }),
    ...(icons && { icons }),
    ...(meta && { _meta: meta }),
  };
};
