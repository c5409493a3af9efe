import type { MaybePromise } from "../values/maybe-promise.ts";
import type { Context } from "./context.ts";

/** What a completer is asked. */
export interface CompletionInput {
  /** What was typed so far. */
  readonly value: string;
  /** Other arguments that are already known. */
  readonly arguments: Readonly<Record<string, string>>;
}

/** Candidates to be filtered and ranked here, or a finished answer that is only cut to the protocol's limit. */
export type Completions =
  | readonly string[]
  | { readonly values: readonly string[]; readonly total?: number; readonly hasMore?: boolean };

/** The values of an argument: a list, or a function that finds them. */
export type Completer<State> =
  | readonly string[]
  | ((input: CompletionInput, context: Context<State>) => MaybePromise<Completions>);

export type Completers<Name extends string, State> = { readonly [N in Name]?: Completer<State> };
