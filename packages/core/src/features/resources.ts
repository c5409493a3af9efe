import { invalidParams, resourceNotFound, shorten } from "../jsonrpc/error.ts";
import type { Params } from "../jsonrpc/message.ts";
import type { ResourceContents } from "../model/content.ts";
import type { ReadResourceResult, Resource } from "../model/entities.ts";
import { isList } from "../values/is-list.ts";
import { compareSpecificity } from "../uri-template/specificity.ts";
import { toBase64 } from "../values/base64.ts";
import type { Catalog } from "./catalog.ts";
import type { Context } from "./context.ts";
import { paginate, fromListCursor, toListCursor, type Page } from "./pagination.ts";
import type { ResourceBody, ResourceEntry, ResourcePage, TemplateEntry } from "./resource.ts";

/** What a URI leads to: a resource registered under it, or a template that it fits. */
export type ResourceTarget =
  | { readonly kind: "resource"; readonly entry: ResourceEntry }
  | {
      readonly kind: "template";
      readonly entry: TemplateEntry;
      readonly variables: Readonly<Record<string, string | string[]>>;
    };

export function readUri(params: Params): string {
  const { uri } = params;
  if (typeof uri !== "string" || uri === "") throw invalidParams("uri must be a non-empty string");
  return uri;
}

/** A scheme, and no characters that URIs exclude; non-ASCII letters are allowed, as in RFC 3987. */
const URI_SYNTAX = /^[a-z][a-z0-9+.-]*:[^\s\p{Cc}<>"\\^`{|}]*$/iu;

export function findResource(catalog: Catalog, uri: string): ResourceTarget | undefined {
  const entry = catalog.resources?.get(uri);
  if (entry) return { kind: "resource", entry };
  if (!URI_SYNTAX.test(uri)) return undefined;
  let best: ResourceTarget | undefined;
  for (const candidate of catalog.templates?.values() ?? []) {
    const variables = candidate.template.match(uri);
    if (variables === undefined) continue;
    if (best?.kind === "template" && compareSpecificity(best.entry.template, candidate.template) <= 0)
      continue;
    best = { kind: "template", entry: candidate, variables };
  }
  return best;
}

export async function readResource(
  target: ResourceTarget | undefined,
  uri: string,
  context: Context,
): Promise<ReadResourceResult> {
  const body = target && (await readBody(target, uri, context as Context<never>));
  if (body === undefined) throw resourceNotFound(uri);
  return { contents: toContents(body, uri, target?.entry.definition.mimeType) };
}

/** An extension (SEP-2640) names the error's code, for every revision. */
export async function readDirectory(
  target: ResourceTarget | undefined,
  uri: string,
  context: Context,
  cursor: string | undefined,
): Promise<ResourcePage> {
  const read = target?.kind === "template" ? target.entry.definition.directory : undefined;
  const page = await read?.(uri, context as Context<never>, cursor);
  if (page === undefined) throw invalidParams(`Not a directory: ${shorten(uri)}`, { uri });
  return page;
}

const readBody = (target: ResourceTarget, uri: string, context: Context<never>): unknown =>
  target.kind === "resource"
    ? target.entry.definition.read(context)
    : target.entry.definition.read(target.variables as never, context, uri);

function toContents(body: unknown, uri: string, mimeType: string | undefined): readonly ResourceContents[] {
  const about = { uri, ...(mimeType !== undefined && { mimeType }) };
  const given = body as ResourceBody;
  if (typeof given === "string") return [{ ...about, text: given }];
  if (given instanceof Uint8Array) return [{ ...about, blob: toBase64(given) }];
  return isList(given) ? given : [given];
}

/**
 * Registered resources first, then each listing template in turn. The cursor's name holds the template's own cursor, its
 * position says which source is next (0: the registered ones).
 */
export async function listResources(
  catalog: Catalog,
  context: Context,
  cursor: string | undefined,
): Promise<Page<Resource>> {
  const sources = (catalog.templates?.values() ?? []).filter((entry) => entry.definition.list);
  const place = cursor === undefined ? undefined : parseListCursor(cursor, sources.length);
  if (place === undefined || place.position === 0) {
    const registered = (catalog.resources?.values() ?? []).map((entry) => entry.listed);
    const serialOf = ({ uri }: Resource): number => catalog.resources?.serialOf(uri) ?? 0;
    const page = paginate("resources", registered, serialOf, catalog.pageSize, place?.name);
    const nextCursor =
      page.nextCursor === undefined ? sourceCursor(1, sources) : listCursor(0, page.nextCursor);
    if (page.nextCursor !== undefined || sources.length === 0) return withNext(page.items, nextCursor);
    if (page.items.length === 0) return listSource(sources, 1, undefined, context);
    // Many hosts never ask for a second page, so the first template's is added. If it fails, its own page will say so.
    const more = await listSource(sources, 1, undefined, context).catch(() => undefined);
    return more
      ? withNext([...page.items, ...more.items], more.nextCursor)
      : withNext(page.items, nextCursor);
  }
  return listSource(sources, place.position, place.name === "" ? undefined : place.name, context);
}

async function listSource(
  sources: readonly TemplateEntry[],
  position: number,
  inner: string | undefined,
  context: Context,
): Promise<Page<Resource>> {
  const list = sources[position - 1]?.definition.list;
  const page = await list?.(context as Context<never>, inner);
  // An empty cursor would begin this source again.
  const nextCursor = page?.nextCursor
    ? listCursor(position, page.nextCursor)
    : sourceCursor(position + 1, sources);
  return withNext(page?.resources ?? [], nextCursor);
}

const LIST = "resources/list";

const listCursor = (position: number, name: string): string => toListCursor(LIST, { position, name });

const sourceCursor = (position: number, sources: readonly TemplateEntry[]): string | undefined =>
  position <= sources.length ? listCursor(position, "") : undefined;

function parseListCursor(cursor: string, sources: number): { position: number; name: string } {
  const place = fromListCursor(LIST, cursor);
  if (place.position > sources) throw invalidParams("Invalid cursor: it names a source that does not exist");
  return place;
}

const withNext = <T>(items: readonly T[], nextCursor: string | undefined): Page<T> =>
  nextCursor === undefined ? { items } : { items, nextCursor };
