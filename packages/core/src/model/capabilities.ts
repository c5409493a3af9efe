import type { Implementation } from "./entities.ts";

/** The three lists that a client can be told about. */
export type ListKind = "tools" | "resources" | "prompts";

type Settings = { readonly [key: string]: unknown };

export interface ClientCapabilities {
  readonly roots?: { readonly listChanged?: boolean };
  readonly sampling?: { readonly context?: Settings; readonly tools?: Settings };
  readonly elicitation?: { readonly form?: Settings; readonly url?: Settings };
  readonly experimental?: Settings;
  readonly extensions?: Settings;
}

/** The tasks extension (SEP-2663): a call may be answered with a handle, with which the client fetches the result later. */
export const TASKS = "io.modelcontextprotocol/tasks";

/** As both sides declare it. */
export const TASKS_EXTENSION: { readonly [id: string]: object } = { [TASKS]: {} };

/** Whether a client with these capabilities can use a tool with such needs. */
export const suits = (
  { needs }: { readonly needs?: keyof ClientCapabilities },
  client: ClientCapabilities,
): boolean => needs === undefined || client[needs] !== undefined;

export interface ServerCapabilities {
  readonly tools?: { readonly listChanged?: boolean };
  readonly resources?: { readonly subscribe?: boolean; readonly listChanged?: boolean };
  readonly prompts?: { readonly listChanged?: boolean };
  readonly completions?: Settings;
  readonly logging?: Settings;
  readonly experimental?: Settings;
  readonly extensions?: Settings;
}

/** The other side as one request sees it: from `initialize` in the legacy era, from the request's `_meta` in the modern one. */
export interface ClientView {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly revision: string;
  readonly era: Era;
}

/** Legacy revisions open with `initialize` and keep a session; modern ones carry everything on each request. */
export type Era = "legacy" | "modern";
