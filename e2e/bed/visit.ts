import { pathToFileURL } from "node:url";

import type { ProgramOrUrl } from "../clients/outsider.ts";
import type { ContractStage } from "../contract/contract-server.ts";
import type { ContractTool } from "../contract/tool.ts";
import { converse } from "../support/asking.ts";
import { satisfies } from "../support/json-schema.ts";
import type { AnyWire } from "../support/any-wire.ts";
import type { Fields, Message } from "../support/message.ts";
import type { Revision } from "../support/revisions.ts";
import { makeValue } from "./make-value.ts";

/** Where a server is: a program to start, or one that is there already. */
export type ServerLocation = { readonly command: readonly string[] } | { readonly url: string };

export type TransportName = "stdio" | "HTTP";

/** A server with something to work on. */
export interface BedSetting {
  readonly place: ServerLocation;
  /** What is known of a server of ours; of others there is only what they say. */
  readonly stage?: ContractStage | undefined;
  /** For the client's roots. */
  readonly folder: string;
}

/** A server for somebody else's client. */
export interface Another extends BedSetting {
  readonly target: ProgramOrUrl;
  readonly end: () => Promise<void>;
}

/** One client at one server in one revision, for all checks. */
export interface BedVisit extends Pick<BedSetting, "stage" | "folder"> {
  readonly wire: AnyWire;
  readonly transport: TransportName;
  readonly revision: Revision;
  capabilities: Fields;
  /** Whether tools may be called that are not said to be read-only. */
  readonly callsAll: boolean;
  /** The same server, with all of it as it was in the beginning. */
  readonly again: () => Promise<Another>;
  /** The methods that the server has asked for. */
  readonly asked: Set<string>;
  tools: readonly ContractTool[];
  /** What its calls have given, in their order. */
  readonly results: (Fields | undefined)[];
}

export interface Notes {
  /** It is wrong. */
  readonly find: (words: string) => void;
  /** It is allowed, and not what is recommended. */
  readonly advise: (words: string) => void;
}

/** Gives "absent" where the server does not offer it. */
export interface BedCheck {
  readonly capability: string;
  readonly run: (visit: BedVisit, notes: Notes) => Promise<"absent" | undefined>;
}

const SAMPLE = { model: "bed", role: "assistant", content: { type: "text", text: "A short answer." } };

const ANSWERS: { readonly [method: string]: (params: Fields, visit: BedVisit) => Fields } = {
  "roots/list": (_params, { folder }) => ({ roots: [{ uri: pathToFileURL(folder).href, name: "bed" }] }),
  "sampling/createMessage": () => SAMPLE,
  "elicitation/create": ({ requestedSchema }) => ({
    action: "accept",
    content: makeValue((requestedSchema ?? {}) as Fields, { agrees: true }),
  }),
};

/** Every question is answered, and remembered. */
const answersOf = (visit: BedVisit): { readonly [method: string]: (params: Fields) => Fields } =>
  Object.fromEntries(
    Object.entries(ANSWERS).map(([method, answer]) => [
      method,
      (params: Fields) => {
        visit.asked.add(method);
        return answer(params, visit);
      },
    ]),
  );

/** What a server of the legacy era may ask whenever it likes. */
export function beAsked(visit: BedVisit): void {
  for (const [method, answer] of Object.entries(answersOf(visit))) visit.wire.answer(method, answer);
}

/** A request that may be answered with questions. */
export const ask = async (visit: BedVisit, method: string, params: Fields): Promise<Message> =>
  (await converse(visit.wire, method, params, answersOf(visit))).response;

export const callTool = (visit: BedVisit, name: string, args: Fields, meta?: Fields): Promise<Message> =>
  ask(visit, "tools/call", { name, arguments: args, ...(meta && { _meta: meta }) });

/** What is wrong with a result of a tool, whoever made it. */
export function complaintsAboutResult(
  { outputSchema }: ContractTool,
  { result }: Message,
  revision: Revision,
): string | undefined {
  if (result === undefined || result["isError"] === true || outputSchema === undefined) return undefined;
  // Before, neither of the two has a meaning.
  if (revision < "2025-06-18") return undefined;
  const { structuredContent } = result;
  if (structuredContent === undefined) return "has an outputSchema and gives no structuredContent";
  return satisfies(outputSchema, structuredContent)
    ? undefined
    : "gives structuredContent that does not fit its outputSchema";
}

export const firstLineOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";

/** The code of an error, or what came instead. */
export const codeOf = ({ error, result }: Message): string =>
  error ? String(error.code) : `a result${result?.["isError"] === true ? " with isError" : ""}`;
