import type { Fields, Message } from "./message.ts";
import type { AnyWire, RequestOptions } from "./any-wire.ts";

/** The four list methods, and the member of the result that each list is in. */
export const LISTS: { readonly [method: string]: string } = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
};

export const callTool = (
  wire: AnyWire,
  name: string,
  args: Fields = {},
  options: RequestOptions = {},
): Promise<Message> => wire.request("tools/call", { name, arguments: args }, options);

interface ContentBlock extends Fields {
  readonly type: string;
  readonly text?: string;
}

export const contentOf = ({ result }: Message): readonly ContentBlock[] =>
  (result?.["content"] ?? []) as ContentBlock[];

/** The text blocks of a tool's answer, one after the other. */
export const textOf = (response: Message): string =>
  contentOf(response)
    .map(({ text }) => text ?? "")
    .join("\n");

/** Whether a call worked. One of an unknown tool has no result at all. */
export const isGood = ({ result }: Message): boolean => result !== undefined && result["isError"] !== true;

/** What a page of a list holds. */
export function itemsOf(page: Fields, method: string): readonly Fields[] {
  const items = page[LISTS[method] ?? ""];
  return Array.isArray(items) ? (items as Fields[]) : [];
}

/** All pages of a list, by following its cursors. */
export async function listPages(wire: AnyWire, method: string): Promise<readonly Fields[]> {
  const pages: Fields[] = [];
  const seen = new Set<unknown>();
  let cursor: unknown;
  do {
    seen.add(cursor);
    const { result, error } = await wire.request(method, cursor === undefined ? {} : { cursor });
    if (!result) throw new Error(`${method} failed: ${JSON.stringify(error)}`);
    pages.push(result);
    cursor = result["nextCursor"];
    // One that comes again leads round in a circle.
  } while (cursor !== undefined && !seen.has(cursor) && pages.length < 100);
  return pages;
}

export async function listAll<T = Fields>(wire: AnyWire, method: string): Promise<readonly T[]> {
  const pages = await listPages(wire, method);
  return pages.flatMap((page) => itemsOf(page, method)) as readonly Fields[] as readonly T[];
}

interface ObjectSchema extends Fields {
  readonly properties?: { readonly [name: string]: Fields };
  readonly required?: readonly string[];
}

/** A tool as clients see it. */
export interface ListedTool {
  readonly name: string;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema?: ObjectSchema;
  readonly annotations?: Fields;
  readonly execution?: Fields;
  readonly _meta?: Fields;
}

export const isWriter = ({ annotations }: ListedTool): boolean => annotations?.["readOnlyHint"] !== true;

export const listTools = (wire: AnyWire): Promise<readonly ListedTool[]> =>
  listAll<ListedTool>(wire, "tools/list");

/** What the server said it can do: once in the legacy era, when asked in the modern one. */
export async function capabilitiesOf(wire: AnyWire): Promise<Fields> {
  const opening = wire.heard.find(({ result }) => result?.["protocolVersion"] !== undefined);
  const { result } = opening ?? (await wire.request("server/discover"));
  return result?.["capabilities"] as Fields;
}
