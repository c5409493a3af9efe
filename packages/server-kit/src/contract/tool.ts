import type {
  ContentBlock,
  Context,
  Effects,
  Icon,
  InputOf,
  MaybePromise,
  OutputOf,
  Reply,
  Schema,
  ToolAnnotations,
  ToolConfig as CoreToolConfig,
} from "@suite/core";

import type { Untrusted } from "../text/fence.ts";

/** A piece of what the model reads. Texts are joined by newlines; what is untrusted is fenced. */
export type TextPart = string | Untrusted | ContentBlock;

interface ToolFacts {
  readonly name: string;
  readonly title: string;
  /** For the model: when to use it, what comes back, what its limits are. The whole list has a budget of tokens. */
  readonly description: string;
  /** "write" loses nothing that was there; "destructive" may replace or remove it. */
  readonly effects: Effects;
  /** What it may touch, in a few words. */
  readonly touches: string;
  /** Whether the same call on the same state gives the same result. It does unless said otherwise. */
  readonly deterministic?: boolean;
  /** Of its contract: to be raised whenever names, arguments or results change. */
  readonly version?: number;
  /** A name for several tools, for --tools and --exclude-tools. */
  readonly group?: string;
  /** The deadline of a call, where the server's own does not fit. */
  readonly timeoutMs?: number;
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Icon[];
  readonly task?: NonNullable<CoreToolConfig<Schema, Schema, unknown>["task"]>;
}

export interface ToolConfig<I extends Schema, O extends Schema, State> extends ToolFacts {
  readonly input: I;
  readonly output: O;
  /** What a write is aimed at: calls with a target in common run one after the other. */
  readonly targets?: (input: OutputOf<I>, state: State) => MaybePromise<readonly string[]>;
  /** What a person is asked before a destructive call, where the operator wants that. */
  readonly confirm?: (input: OutputOf<I>) => string;
  readonly run: (
    input: OutputOf<I>,
    context: Context<State>,
  ) => MaybePromise<(InputOf<O> & object) | Reply<InputOf<O>>>;
  /** What the model reads: short, and not the structured result once more. */
  readonly text: (output: InputOf<O>) => TextPart | readonly TextPart[];
}

/** A tool of the suite: what it is and does, as facts. The contract with agents follows from them. */
export interface ToolDefinition<in State = unknown> extends ToolFacts {
  readonly input: Schema;
  readonly output: Schema;
  readonly targets?: (input: never, state: State) => MaybePromise<readonly string[]>;
  readonly confirm?: (input: never) => string;
  readonly run: (input: never, context: Context<State>) => unknown;
  readonly text: (output: never) => TextPart | readonly TextPart[];
}

/** Declares a tool. Arguments and result are inferred from the schemas. */
export const defineTool = <const I extends Schema, const O extends Schema, State = unknown>(
  config: ToolConfig<I, O, State>,
): ToolDefinition<State> => config;
