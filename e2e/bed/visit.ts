import { pathToFileURL } from "node:url";

import type { Stage } from "../contract/contract-server.ts";
import type { ContractTool } from "../contract/tool.ts";
import { converse } from "../support/asking.ts";
import { satisfies } from "../support/json-schema.ts";
import type { Line } from "../support/line.ts";
import type { Fields, Message } from "../support/message.ts";
import type { Revision } from "../support/revisions.ts";
import { makeValue } from "./make-value.ts";

/** One client at one server in one revision, for all checks. */
export interface Visit {
  readonly line: Line;
  readonly revision: Revision;
  capabilities: Fields;
  /** What is known of a server of ours; of others there is only what they say. */
  readonly stage: Stage | undefined;
  /** Whether tools may be called that are not said to be read-only. */
  readonly callsAll: boolean;
  /** For the client's roots. */
  readonly folder: string;
  /** The methods that the server has asked for. */
  readonly asked: Set<string>;
  tools: readonly ContractTool[];
}

export interface Notes {
  /** It is wrong. */
  readonly find: (words: string) => void;
  /** It is allowed, and not what is recommended. */
  readonly advise: (words: string) => void;
}

/** Gives "absent" where the server does not offer it. */
export interface Check {
  readonly capability: string;
  readonly run: (visit: Visit, notes: Notes) => Promise<"absent" | undefined>;
}

const SAMPLE = { model: "bed", role: "assistant", content: { type: "text", text: "A short answer." } };

const ANSWERS: { readonly [method: string]: (params: Fields, visit: Visit) => Fields } = {
  "roots/list": (_params, { folder }) => ({ roots: [{ uri: pathToFileURL(folder).href, name: "bed" }] }),
  "sampling/createMessage": () => SAMPLE,
  "elicitation/create": ({ requestedSchema }) => ({
    action: "accept",
    content: makeValue((requestedSchema ?? {}) as Fields, { agrees: true }),
  }),
};

/** Every question is answered, and remembered. */
const answersOf = (visit: Visit): { readonly [method: string]: (params: Fields) => Fields } =>
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
export function beAsked(visit: Visit): void {
  for (const [method, answer] of Object.entries(answersOf(visit))) visit.line.answer(method, answer);
}

/** A request that may be answered with questions. */
export const ask = async (visit: Visit, method: string, params: Fields): Promise<Message> =>
  (await converse(visit.line, method, params, answersOf(visit))).response;

export const callTool = (visit: Visit, name: string, args: Fields): Promise<Message> =>
  ask(visit, "tools/call", { name, arguments: args });

export const isGood = ({ result }: Message): boolean => result !== undefined && result["isError"] !== true;

/** What is wrong with a result of a tool, whoever made it. */
export function complaintsAboutResult(
  { outputSchema }: ContractTool,
  { result }: Message,
): string | undefined {
  if (result === undefined || result["isError"] === true || outputSchema === undefined) return undefined;
  const { structuredContent } = result;
  if (structuredContent === undefined) return "has an outputSchema and gives no structuredContent";
  return satisfies(outputSchema, structuredContent)
    ? undefined
    : "gives structuredContent that does not fit its outputSchema";
}

/** The code of an error, or what came instead. */
export const codeOf = ({ error, result }: Message): string =>
  error ? String(error.code) : `a result${result?.["isError"] === true ? " with isError" : ""}`;
