import type { KnownServer } from "@suite/check";
import { type Revision, REVISIONS } from "@suite/check/wires";

/** What a program works on, and what is known of it. */
export interface ContractStage extends KnownServer {
  /** Name it to the program. */
  readonly args: readonly string[];
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
