import type { Fields } from "../support/message.ts";
import { type Revision, REVISIONS } from "../support/revisions.ts";

export interface SampleCall {
  readonly name: string;
  readonly args: Fields;
}

/** What a program works on, and what is known of it. */
export interface ContractStage {
  /** Name it to the program. */
  readonly args: readonly string[];
  /** Calls that work, in this order, and show what results look like. */
  readonly calls?: readonly SampleCall[];
  /** Tools that are called in tests of their own, because they need more than a stage. */
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

/** Those whose clients can be asked by form. */
export const WITH_FORMS: readonly Revision[] = REVISIONS.slice(REVISIONS.indexOf("2025-06-18"));

/** A server that is held to the contract. */
export interface ContractServer {
  readonly name: string;
  /** Starts the built program, with nothing to work on yet. */
  readonly command: readonly string[];
  /** Makes what the program works on in an empty folder. */
  readonly prepare: (folder: string) => ContractStage | Promise<ContractStage>;
  /** The committed versions and digests of its tools. */
  readonly snapshot: string;
  /** What the list of its tools may cost a model. */
  readonly tokens: number;
  /** Where it has one: a group of its tools, for --tools. */
  readonly group?: { readonly name: string; readonly tools: readonly string[] };
}
