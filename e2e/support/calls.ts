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

/** Why a call failed, as programs read it. */
export interface CallError {
  readonly code?: string;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
  readonly hint?: string;
  readonly details?: Fields;
}

/** Nothing is in it where the call worked. */
export const errorOf = ({ result }: Message): CallError =>
  (result?.["_meta"] as { readonly "dev.suite/error"?: CallError } | undefined)?.["dev.suite/error"] ?? {};

export interface EverythingJournal {
  readonly ran: readonly string[];
  readonly calls: readonly string[];
  readonly aborted: readonly string[];
  readonly reported: readonly string[];
  readonly watches: { readonly started: number; readonly stopped: number };
}

/** What the "everything" server remembers; as text, because older revisions have nothing else. */
export const journalOf = async (wire: AnyWire): Promise<EverythingJournal> =>
  JSON.parse(textOf(await callTool(wire, "journal"))) as EverythingJournal;

/** All pages of a list, by following its cursors. */
export async function listPages(wire: AnyWire, method: string): Promise<readonly Fields[]> {
  const pages: Fields[] = [];
  let cursor: unknown;
  do {
    const { result, error } = await wire.request(method, cursor === undefined ? {} : { cursor });
    if (!result) throw new Error(`${method} failed: ${JSON.stringify(error)}`);
    pages.push(result);
    cursor = result["nextCursor"];
  } while (cursor !== undefined && pages.length < 100);
  return pages;
}

export async function listAll<T = Fields>(wire: AnyWire, method: string): Promise<readonly T[]> {
  const pages = await listPages(wire, method);
  return pages.flatMap((page) => page[LISTS[method] ?? ""] as T[]);
}

/** What a server has to show of its own: every server lists skills, too. */
export const listOwnResources = async (wire: AnyWire): Promise<readonly Fields[]> =>
  (await listAll(wire, "resources/list")).filter(({ uri }) => !String(uri).startsWith("skill:"));

export interface ListedTool {
  readonly name: string;
  readonly inputSchema: Fields;
  readonly outputSchema?: Fields;
}

export const listTools = (wire: AnyWire): Promise<readonly ListedTool[]> =>
  listAll<ListedTool>(wire, "tools/list");

/** What the server said it can do: once in the legacy era, when asked in the modern one. */
export async function capabilitiesOf(wire: AnyWire): Promise<Fields> {
  const opening = wire.heard.find(({ result }) => result?.["protocolVersion"] !== undefined);
  const { result } = opening ?? (await wire.request("server/discover"));
  return result?.["capabilities"] as Fields;
}
