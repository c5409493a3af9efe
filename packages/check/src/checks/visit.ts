import { pathToFileURL } from "node:url";

import { satisfies } from "../rules/json-schema.ts";
import type { AnyWire } from "../wires/any-wire.ts";
import { converse } from "../wires/asking.ts";
import type { ListedTool } from "../wires/calls.ts";
import type { Fields, Message } from "../wires/message.ts";
import { isModern, type Revision } from "../wires/revisions.ts";
import { makeValue } from "./make-value.ts";

/** Where a server is: a program to start, or one that listens. */
export type ServerLocation =
  | {
      readonly command: readonly string[];
      /** The whole environment: that of this process unless it is given. */
      readonly env?: NodeJS.ProcessEnv;
    }
  | {
      readonly url: string;
      /** Go with every request. */
      readonly headers?: Record<string, string>;
    };

export type TransportName = "stdio" | "HTTP";

export interface SampleCall {
  readonly name: string;
  readonly args: Fields;
}

/** What its author knows of a server, and a stranger does not. */
export interface KnownServer {
  /** Calls that work, in this order, and show what results look like. */
  readonly calls?: readonly SampleCall[];
  /** Tools that are called in tests of their own. */
  readonly elsewhere?: readonly string[];
  /** Resources that can be read, beside those that are listed. */
  readonly uris?: readonly string[];
  /** Arguments of prompts, by their names. */
  readonly prompts?: { readonly [prompt: string]: Readonly<Record<string, string>> };
  /** A resource, and a change of it. */
  readonly change?:
    | { readonly uri: string; readonly by: () => void }
    | { readonly uri: string; readonly call: SampleCall };
  /** A call that goes on unless it is cancelled. */
  readonly slow?: SampleCall & { readonly reports: boolean };
  /** A call that has something to say in the log, at the level info. */
  readonly logged?: SampleCall;
  /** What it asks its client for in the course of all that, and in which revisions. */
  readonly asks?: { readonly [method: string]: readonly Revision[] };
}

/** A server with something to work on. */
export interface Setting {
  readonly place: ServerLocation;
  /** Of a stranger there is only what it says. */
  readonly known?: KnownServer | undefined;
  /** For the client's roots. */
  readonly folder: string;
  /** Tools that once took too long to be waited for again. */
  readonly slow?: Set<string>;
  /** Ends what was started for it. */
  readonly end?: () => Promise<void>;
}

/** One client at one server in one revision, for all checks. */
export interface Visit extends Pick<Setting, "known" | "folder" | "slow"> {
  readonly wire: AnyWire;
  readonly transport: TransportName;
  readonly revision: Revision;
  capabilities: Fields;
  /** Whether tools may be called that are not said to be read-only. */
  readonly callsAll: boolean;
  /** The same server, with all of it as it was in the beginning; whoever asks for it ends it. */
  readonly again: () => Promise<Setting>;
  /** Another connection to it. */
  readonly open: (place: ServerLocation) => Promise<OpenServer>;
  /** The methods that the server has asked for. */
  readonly asked: Set<string>;
  tools: readonly ListedTool[];
  /** What its calls have given, in their order. */
  readonly results: (Fields | undefined)[];
}

/** An open wire, and how it ends. */
export interface OpenServer {
  readonly wire: AnyWire;
  /** Writes bytes as they are; only over standard streams. */
  readonly write?: (bytes: string | Buffer) => void;
  readonly end: (note: Note) => Promise<void>;
}

/** Notes what breaks a rule, by the rule's id: the words are the same each time, the example is of this one. */
export type Note = (rule: string, words: string, example?: string) => void;

/** Gives "absent" where the server does not offer it. */
export interface Check {
  readonly name: string;
  readonly run: (visit: Visit, note: Note) => Promise<"absent" | undefined>;
}

const SAMPLE = { model: "check", role: "assistant", content: { type: "text", text: "A short answer." } };

const ANSWERS: { readonly [method: string]: (params: Fields, visit: Visit) => Fields } = {
  "roots/list": (_params, { folder }) => ({ roots: [{ uri: pathToFileURL(folder).href, name: "check" }] }),
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
  for (const [method, answer] of Object.entries(answersOf(visit))) visit.wire.answer(method, answer);
}

/** A request that may be answered with questions. */
export const ask = async (visit: Visit, method: string, params: Fields): Promise<Message> =>
  (await converse(visit.wire, method, params, answersOf(visit))).response;

export const callTool = (visit: Visit, name: string, args: Fields, meta?: Fields): Promise<Message> =>
  ask(visit, "tools/call", { name, arguments: args, ...(meta && { _meta: meta }) });

/** What is wrong with a result of a tool, whoever made it. */
export function complaintsAboutResult(
  { outputSchema }: ListedTool,
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

/** The request that every server answers, with its answer. */
export const isThere = ({ wire, revision }: Pick<Visit, "wire" | "revision">): Promise<Message> =>
  wire.request(isModern(revision) ? "server/discover" : "ping");
