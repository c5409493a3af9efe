import { type AnyWire, callTool, type Fields, listAll, type Message, textOf } from "@suite/check/wires";

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

/** What a server has to show of its own: every server lists skills, too. */
export const listOwnResources = async (wire: AnyWire): Promise<readonly Fields[]> =>
  (await listAll(wire, "resources/list")).filter(({ uri }) => !String(uri).startsWith("skill:"));
