import { type Note, type TextPart, type ToolDefinition, untrusted } from "@suite/server-kit";
import {
  countOf,
  fitItems,
  fitText,
  fromCursor,
  isCount,
  type PlaceCheck,
  isListOf,
  isText,
  type JsonValue,
  noteCursor,
  shownSize,
  toCursor,
} from "@suite/server-kit/domain";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { apiOf } from "../api.ts";
import { type Api, hasNextPage, lastPageIn, nextIn } from "../domain/api.ts";
import { defineTool } from "../define.ts";
import { missingForSso } from "../domain/gateway/explain.ts";
import type { ApiRequest, GatewayAnswer, GraphqlRequest } from "../domain/gateway/gateway.ts";
import {
  type Fields,
  listIn,
  project,
  readPath,
  renderItem,
  toFields,
  toList,
  toText,
} from "../domain/answers/projection.ts";
import { truncateValues } from "../domain/answers/truncate-values.ts";
import { fromVersionedCursor, toVersionedCursor } from "../domain/versioned-cursor.ts";
import type { GithubToolContext, GithubState } from "../state.ts";
import { locating } from "./locate.ts";
import { PAGE_ALIASES, type ReadOutput, readOutput } from "./schemas.ts";

export const DEFAULT_LIMIT = 30;
/** GitHub lists no more files of a commit or pull request. */
export const MOST_FILES = 3000;

/** What differs between reading tools. */
interface ReadConfig<E extends v.ObjectEntries> {
  readonly name: string;
  readonly version?: number;
  readonly title: string;
  readonly description: string;
  readonly group: string;
  readonly view?: string;
  readonly input: E;
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  readonly alsoKnownAs?: readonly string[];
  readonly argumentHints?: NonNullable<ToolDefinition["argumentHints"]>;
  /** The result has no text from GitHub's users. */
  readonly isOwn?: true;
  /** The first line of the text. */
  readonly header: (input: Input<E>, output: ReadOutput) => string;
  /** A sentence for the note of this result. */
  readonly advice?: (output: ReadOutput) => string | false;
  readonly read: (input: Input<E>, api: Api, context: GithubToolContext) => Promise<ReadOutput>;
}

export type Input<E extends v.ObjectEntries> = v.InferOutput<v.StrictObjectSchema<E, undefined>>;

export const defineRead = <const E extends v.ObjectEntries>(
  config: ReadConfig<E>,
): ToolDefinition<GithubState> => {
  const { header, advice, read, input, isOwn, aliases = {}, ...facts } = config;
  return defineTool({
    ...facts,
    effects: "read",
    affects: "nothing: it reads GitHub",
    openWorld: true,
    deterministic: false,
    aliases: { ...PAGE_ALIASES, ...aliases },
    ...(isOwn !== true && { untrusted: ["item", "items", "text"] }),
    input: schema(v.strictObject(input)),
    output: schema(readOutput),
    run: (given, context) => {
      const api = apiOf(context);
      return locating(api, read(given, api, context));
    },
    text: (output, given) => renderRead(header(given, output), output, isOwn ? String : untrusted),
    note: (output, given) => toNotes(output, (given as PageInput).fields, advice?.(output)),
  });
};

function renderRead(
  header: string,
  { item, items, text }: ReadOutput,
  fence: (text: string) => TextPart,
): TextPart[] {
  const heading = text === undefined || item === undefined ? header : `${header}\n${renderItem(item)}`;
  const body = text ?? [...(item ? [item] : []), ...(items ?? [])].map(renderItem).join("\n");
  return body.trim() === "" ? [heading.replace(/:$/, ".")] : [heading, fence(body)];
}

function toNotes(output: ReadOutput, fields: readonly string[] = [], advice?: string | false): Note {
  const { item, items, hidden, truncated, sso } = output;
  const shown = items ?? (item ? [item] : []);
  const absent = shown.length === 0 ? [] : fields.filter((field) => !shown.some((each) => field in each));
  return [
    absent.length > 0 && `Unknown or empty: ${absent.map((field) => JSON.stringify(field)).join(", ")}.`,
    truncated && "Incomplete: some results did not fit, or GitHub does not return them.",
    sso,
    advice,
    hidden !== undefined && `${hidden} more were found but may not be shown by this server.`,
    noteCursor(output),
  ];
}

export interface PageInput {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly fields?: readonly string[] | undefined;
}

export interface ListConfig {
  readonly route: string;
  readonly params: Fields;
  /** Fields of each item, unless `fields` asks for others. */
  readonly spec: readonly string[];
  /** Where the items are, if the answer is not a list. */
  readonly itemsIn?: string;
  readonly request?: Partial<ApiRequest>;
  /** GitHub's pages have no numbers. */
  readonly isByCursor?: true;
  /** Makes of GitHub's item what `spec` is read from. */
  readonly reshape?: (item: unknown) => unknown;
  /** GitHub returns no more items than this, and does not say so. */
  readonly most?: number;
  /** Fields of the whole answer, which go with the first page. */
  readonly head?: readonly string[];
}

/** How long a list is that GitHub does not count: it tells only how many pages there are. */
function toExtent(
  answer: GatewayAnswer,
  shown: number,
  seen: number,
  size: number,
): Pick<ReadOutput, "total" | "more_than"> {
  const last = lastPageIn(answer);
  if (last !== undefined) return last > 1 ? { more_than: (last - 1) * size } : {};
  return hasNextPage(answer) || seen === shown ? {} : { total: seen };
}

const isPageNumber: PlaceCheck<number> = (value): value is number => isCount(value) && value > 0;
/** GitHub gives no more at once. */
const isPageSize: PlaceCheck<number> = (value): value is number => isPageNumber(value) && value <= 100;

/** One page of a list, as much as fits; the cursor continues within an item, within GitHub's page, or with the next. */
export async function readPage(
  api: Api,
  input: PageInput,
  { budget }: Pick<GithubToolContext, "budget">,
  config: ListConfig & { readonly keep?: (item: unknown) => boolean },
): Promise<ReadOutput> {
  const { route, params, request, itemsIn, isByCursor = false, keep, reshape, most = Infinity } = config;
  const { limit = DEFAULT_LIMIT, cursor } = input;
  const about = aboutList(config, input);
  // A later page may have another limit, but GitHub's pages keep their size.
  const [number, skipped, start, size, from] = fromCursor(
    cursor,
    about,
    isListOf(isPageNumber, isCount, isCount, isPageSize, isText),
  ) ?? [1, 0, 0, limit, ""];
  const where = isByCursor ? from !== "" && { after: from } : { page: number };
  const answer = await api.get(route, { ...params, per_page: size, ...where }, request);
  const { data, hidden } = answer;
  const all = listIn(data, itemsIn);
  const places = [...all.keys()].slice(skipped).filter((at) => keep?.(all[at]) ?? true);
  const found = places.slice(0, limit).map((at) => reshape?.(all[at]) ?? all[at]);
  const { next, truncated, ...page } = fitList(data, found, start, input, config, budget);
  const nextAt = places[next === undefined ? page.items.length : 0];
  const place =
    nextAt !== undefined
      ? [number, nextAt, next ?? 0, size, from]
      : hasNextPage(answer)
        ? [number + 1, 0, 0, size, new URLSearchParams(isByCursor ? nextIn(answer) : "").get("after") ?? ""]
        : undefined;
  const seen = (number - 1) * size + all.length + hidden;
  const sso = missingForSso(answer.headers);
  // What is hidden, unwanted or in repositories that may not be read would count, too.
  const isOwn = !api.gateway.lists.isReadLimited || "repo" in params;
  const isCounted = isOwn && hidden === 0 && keep === undefined && sso === undefined && seen < most;
  const total = itemsIn === undefined ? undefined : toFields(data)["total_count"];
  const isCeiling = place === undefined && (typeof total === "number" ? total > seen : seen >= most);
  const isStopped = toFields(data)["incomplete_results"] === true || sso !== undefined;
  return {
    ...page,
    ...(typeof total === "number"
      ? hidden === 0 && { total }
      : isCounted && toExtent(answer, page.items.length, seen, size)),
    ...(hidden > 0 && { hidden }),
    ...((truncated || isStopped || isCeiling) && { truncated: true }),
    ...(sso !== undefined && { sso }),
    ...(place !== undefined && { next_cursor: toCursor(place, about) }),
  };
}

/** One page of a list that GitHub returns whole with its first page, whatever the limit is. */
export async function readWholeList(
  api: Api,
  input: PageInput,
  { budget }: Pick<GithubToolContext, "budget">,
  config: ListConfig,
): Promise<ReadOutput> {
  const { route, params, request, itemsIn, most = Infinity } = config;
  const { limit = DEFAULT_LIMIT } = input;
  const { data } = await api.get(route, { ...params, per_page: limit, page: 1 }, request);
  const all = listIn(data, itemsIn);
  const isWhole = all.length < most;
  const about = aboutList(config, input);
  return takePage({ data, all, isWhole, head: config.head, spec: config.spec }, input, budget, about);
}

/** A list that is here already. */
interface KnownList extends Pick<ListConfig, "spec"> {
  /** What `head` is read from. */
  readonly data: unknown;
  readonly head: readonly string[] | undefined;
  readonly all: readonly unknown[];
  /** Whether GitHub has no more of it. */
  readonly isWhole: boolean;
}

/** One page of it. */
export function takePage(
  { data, all, isWhole, head, spec }: KnownList,
  input: PageInput,
  budget: number,
  about: JsonValue,
): ReadOutput {
  const { limit = DEFAULT_LIMIT, cursor } = input;
  const version = JSON.stringify(all);
  const [skipped, start] = fromVersionedCursor(cursor, about, version, [0, 0] as const);
  const found = all.slice(skipped, skipped + limit);
  const list = { spec, ...(head && { head }) };
  const { next, truncated, ...page } = fitList(data, found, start, input, list, budget);
  const nextAt = skipped + (next === undefined ? page.items.length : 0);
  const isLast = nextAt === all.length;
  return {
    ...page,
    ...(isWhole ? { total: all.length } : { more_than: all.length }),
    ...((truncated || (isLast && !isWhole)) && { truncated: true }),
    ...(!isLast && { next_cursor: toVersionedCursor([nextAt, next ?? 0], about, version) }),
  };
}

/** One page of a GraphQL connection at `path`; each of its nodes may become several items. */
export async function readConnection(
  api: Api,
  { path, variables, ...asked }: GraphqlRequest & { readonly path: string },
  { limit = DEFAULT_LIMIT, cursor }: PageInput,
  { budget }: Pick<GithubToolContext, "budget">,
  about: JsonValue,
  toItems: (node: unknown) => Promise<Record<string, unknown>[]>,
): Promise<ReadOutput> {
  const [after, skipped, start, size] = fromCursor(
    cursor,
    about,
    isListOf(isText, isCount, isCount, isPageSize),
  ) ?? ["", 0, 0, limit];
  // Only the rest of a page needs the size that the page had.
  const first = skipped === 0 && start === 0 ? limit : size;
  const data = await api.graphql({
    ...asked,
    variables: { ...variables, first, after: after === "" ? null : after },
  });
  const connection = toFields(readPath(data, path));
  const nodes = toList(connection["nodes"]);
  const whole = (await Promise.all(nodes.map(toItems))).flat();
  const all = whole.slice(skipped);
  const { items, truncated, next } = fitPage(all, budget, start);
  const { hasNextPage: isMore, endCursor } = toFields(connection["pageInfo"]);
  const given = next === undefined ? items.length : 0;
  const place: JsonValue | undefined =
    given < all.length
      ? [after, skipped + given, next ?? 0, first]
      : isMore === true
        ? [toText(endCursor), 0, 0, limit]
        : undefined;
  const { totalCount: total } = connection;
  // The total is that of the nodes, and lockdown has hidden some of them.
  const isCounted = typeof total === "number" && whole.length === nodes.length && !api.gateway.lockdown;
  return {
    items,
    ...(isCounted && { total }),
    ...(truncated && { truncated }),
    ...(place !== undefined && { next_cursor: toCursor(place, about) }),
  };
}

/** What a cursor of this list belongs to. */
export const aboutList = ({ route, params }: ListConfig, { fields = [] }: PageInput): JsonValue => [
  route,
  params as JsonValue,
  [...fields],
];

/** As many of the items as fit, and above the first page what there is to say of the whole answer. */
export function fitList(
  data: unknown,
  found: readonly unknown[],
  start: number,
  { cursor, fields }: PageInput,
  { head, spec }: Pick<ListConfig, "head" | "spec">,
  budget: number,
): ReturnType<typeof fitPage> & Pick<ReadOutput, "item"> {
  const wanted = found.map((each) => project(each, chosen(each, spec, fields)));
  if (head === undefined || cursor !== undefined) return fitPage(wanted, budget, start);
  const { item, truncated } = fitItem(project(data, head), Math.floor(budget / 2));
  const page = fitPage(wanted, budget - shownSize(item), start);
  return { item, ...page, ...(truncated && { truncated }) };
}

/** `fields` are paths in GitHub's answer, or else names of our own fields. */
const chosen = (data: unknown, spec: readonly string[], fields: readonly string[] = []): readonly string[] =>
  fields.length === 0
    ? spec
    : fields.map((field) =>
        readPath(data, field) === undefined
          ? (spec.find((entry) => entry.startsWith(`${field}=`)) ?? field)
          : field,
      );

/** Per item, for the separators of the text. */
const SEPARATOR = 8;

interface Fitted {
  readonly truncated?: boolean;
  /** Where the rest of its longest text starts, if not all of it fits. */
  readonly next?: number;
}

/** As many items as fit. If the first one alone is too long, it is cut or continued as in `fitItem`. */
export function fitPage(
  wanted: readonly Record<string, unknown>[],
  budget: number,
  start?: number,
): Fitted & { readonly items: Record<string, unknown>[] } {
  const [first, ...others] = wanted;
  if (first === undefined) return { items: [] };
  const { item, ...fitted } = fitItem(first, budget, start);
  if (fitted.truncated === true || fitted.next !== undefined) return { items: [item], ...fitted };
  const toSize = (each: Fields): number => shownSize(each) + SEPARATOR;
  return { items: [item, ...fitItems(others, budget - toSize(item), toSize).items] };
}

/** A shorter piece of text is of no use. */
const LEAST_PIECE = 500;

/** Fits an item into the budget: with `start`, its longest text continues from there; without, all texts are shortened. */
function fitItem(
  item: Record<string, unknown>,
  budget: number,
  start?: number,
): Fitted & { readonly item: Record<string, unknown> } {
  const [name, text] = longestText(item);
  const withText = (piece: string): Record<string, unknown> =>
    piece === text ? item : { ...item, [name]: piece };
  const room = budget - shownSize(withText("")) - SEPARATOR;
  const rest = text.slice(start);
  if (room >= 0 && shownSize(rest) <= room) return { item: withText(rest) };
  if (start !== undefined && room >= LEAST_PIECE) {
    const piece = fitText(rest, 0, room);
    return { item: withText(piece), next: start + piece.length };
  }
  let most = budget;
  while (most > 1 && shownSize(truncateValues(item, most)) > budget) most = Math.floor(most / 2);
  return { item: toFields(truncateValues(item, most)), truncated: true };
}

function longestText(item: Fields): readonly [name: string, text: string] {
  const texts = Object.entries(item).filter(
    (field): field is [string, string] => typeof field[1] === "string",
  );
  return texts.toSorted(([, one], [, other]) => other.length - one.length)[0] ?? ["", ""];
}

/** One item. With `about`, a cursor continues a long text. */
export function toItem(
  data: unknown,
  spec: readonly string[],
  { cursor, fields }: PageInput,
  { budget }: Pick<GithubToolContext, "budget">,
  about?: JsonValue,
): ReadOutput {
  const wanted = project(data, chosen(data, spec, fields));
  if (about === undefined) return fitItem(wanted, budget);
  const all = [about, [...(fields ?? [])]];
  const [, text] = longestText(wanted);
  const [start] = fromVersionedCursor(cursor, all, text, [0] as const);
  const { next, ...fitted } = fitItem(wanted, budget, start);
  return { ...fitted, ...(next !== undefined && { next_cursor: toVersionedCursor([next], all, text) }) };
}

/** The first line above a list: "3 of 7 issues in octo/app:", or "3 issues found:" for `issue found`. */
export const listHeader = (
  { items = [], total, more_than, next_cursor }: ReadOutput,
  one: string,
  place = "",
): string => {
  const [noun = one, ...found] = one.split(/(?= found$)/);
  const isPart = total !== undefined && total !== items.length;
  const of = isPart
    ? countOf(total, noun)
    : more_than === undefined
      ? ""
      : `more than ${countOf(more_than, noun)}`;
  const count = of === "" ? countOf(items.length, noun) : `${items.length} of ${of}`;
  const more = next_cursor !== undefined && of === "" ? ", and more" : "";
  return `${count}${found.join("")}${more}${place === "" ? "" : ` in ${place}`}:`;
};
