import {
  checkFunction,
  checkSchema,
  checkKeys,
  type ContentBlock,
  type Context,
  type Effects,
  type Icon,
  type InputOf,
  type KeysOf,
  type MaybePromise,
  type OutputOf,
  type Params,
  type PromptConfig,
  type PromptDefinition,
  type Reply,
  type ResourceDefinition,
  type ResourceTemplateConfig,
  type ResourceTemplateDefinition,
  type Schema,
  type ToolAnnotations,
  type ToolConfig as CoreToolConfig,
} from "@suite/core";

import type { Untrusted } from "../../domain/text/fence.ts";
import { isObject } from "../../domain/text/json-value.ts";
import type { Aliases } from "./aliases.ts";

/** A part of what the model reads. Texts are joined by newlines; untrusted ones are fenced. */
export type TextPart = string | Untrusted | ContentBlock;

/** What a tool receives besides its arguments. */
export interface ToolContext<State = unknown> extends Context<State> {
  /** How many characters the content of this result may have in each view; header, fences and note come on top. */
  readonly budget: number;
}

/** One sentence, or a list of sentences whose empty entries are skipped. */
export type Note = string | undefined | readonly (string | false | undefined)[];

export type ArgumentHints = { readonly [argument: string]: string };

interface ToolFacts {
  readonly name: string;
  readonly title: string;
  /** For the model: when to use it, what comes back, what its limits are. The whole list has a budget of tokens. */
  readonly description: string;
  /** "write" loses nothing that was there; "destructive" may replace or remove it. */
  readonly effects: Effects;
  /** What it may touch, in a few words. */
  readonly affects: string;
  /** Whether it reaches the network: `openWorldHint`. */
  readonly openWorld?: boolean;
  /** Whether the same call on the same state gives the same result. It does unless said otherwise. */
  readonly deterministic?: boolean;
  /** Version of the tool's contract: raise it whenever names, arguments or results change. */
  readonly version?: number;
  /** A name for several tools, for --tools and --exclude-tools. */
  readonly group?: string;
  /** Names of this tool in other servers: a call to one of them fails with a pointer to the right name. */
  readonly alsoKnownAs?: readonly string[];
  /** Other spellings of arguments, taken silently: `{ path: ["file_path"], "edits[].oldText": ["old_string"] }`. */
  readonly aliases?: Aliases;
  /** Other forms of arguments, taken silently, after their spellings: `{ repo: "octo/app" }` for `{ owner: "octo", repo: "app" }`. */
  readonly normalize?: (given: Params) => Params;
  /** Advice, one sentence each, for arguments that models know from other tools but this one lacks, or that they tend to leave out. */
  readonly argumentHints?: ArgumentHints;
  /** Fields of the output that hold text from outside: `["text", "matches[].line"]`. Results name those that are present. */
  readonly untrusted?: readonly string[];
  /** The tool's own deadline, if the server's default does not fit. */
  readonly timeoutMs?: number;
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Icon[];
  /** The page that shows its results to people, one of `views` in package.json. Tools that write have "change". */
  readonly view?: string;
  /** Capabilities that a client must have: the tool is not listed to others. */
  readonly needs?: NonNullable<CoreToolConfig<Schema, Schema, unknown>["needs"]>;
  readonly task?: NonNullable<CoreToolConfig<Schema, Schema, unknown>["task"]>;
}

/** What `defineTool` takes: facts about a tool, and what it does. */
export interface ToolConfig<I extends Schema, O extends Schema, State> extends ToolFacts {
  readonly input: I;
  /** Without `note`, `untrusted`, `dry_run` and `would_change`: the kit adds those. */
  readonly output: O;
  /** What a write is aimed at: calls with a target in common run one after the other. */
  readonly targets?: (input: OutputOf<I>, state: State) => MaybePromise<readonly string[]>;
  /** The question to a person before a destructive call, if the operator asks for confirmation. */
  readonly confirm?: (input: OutputOf<I>) => string;
  /** Whether a person is asked even if the operator did not ask for confirmation: a policy of the server. */
  readonly mustConfirm?: (input: OutputOf<I>, state: State) => boolean;
  readonly run: (
    input: OutputOf<I>,
    context: ToolContext<State>,
  ) => MaybePromise<(InputOf<O> & object) | Reply<InputOf<O>>>;
  /** What the model reads: short, and complete by itself. */
  readonly text: (output: InputOf<O>, input: OutputOf<I>) => TextPart | readonly TextPart[];
  /** What was not done, what to do next, how to continue: the last line of the text, and the first field of the result. */
  readonly note?: (output: InputOf<O>, input: OutputOf<I>) => Note;
}

/** A tool of the suite, without the types of its arguments and result. */
export interface ToolDefinition<in State = unknown> extends ToolFacts {
  readonly input: Schema;
  readonly output: Schema;
  readonly targets?: (input: never, state: State) => MaybePromise<readonly string[]>;
  readonly confirm?: (input: never) => string;
  readonly mustConfirm?: (input: never, state: State) => boolean;
  readonly run: (input: never, context: ToolContext<State>) => unknown;
  readonly text: (output: never, input: never) => TextPart | readonly TextPart[];
  readonly note?: (output: never, input: never) => Note;
}

const KEYS: KeysOf<ToolDefinition> = {
  name: "required",
  title: "required",
  description: "required",
  effects: "required",
  affects: "required",
  openWorld: "optional",
  deterministic: "optional",
  version: "optional",
  group: "optional",
  alsoKnownAs: "optional",
  aliases: "optional",
  normalize: "optional",
  argumentHints: "optional",
  untrusted: "optional",
  timeoutMs: "optional",
  annotations: "optional",
  icons: "optional",
  view: "optional",
  needs: "optional",
  task: "optional",
  input: "required",
  output: "required",
  targets: "optional",
  confirm: "optional",
  mustConfirm: "optional",
  run: "required",
  text: "required",
  note: "optional",
};

export const isDryRun = (input: unknown): boolean => isObject(input) && input["dry_run"] === true;

/** Checks at run time what types check otherwise, for authors who use JavaScript. The core checks the rest. */
export function checkTool(tool: ToolDefinition<never>): void {
  const what = `tool ${JSON.stringify(tool.name)}`;
  checkKeys(what, tool, KEYS);
  checkFunction(what, "run", tool.run);
  checkFunction(what, "text", tool.text);
  checkSchema(what, "input", tool.input);
  checkSchema(what, "output", tool.output);
}

/** Functions that define the parts of a server with state of a given type. */
export interface Definers<State> {
  /** Declares a tool. Arguments and result are inferred from the schemas. */
  readonly defineTool: <const I extends Schema, const O extends Schema>(
    config: ToolConfig<I, O, State>,
  ) => ToolDefinition<State>;
  readonly defineResource: (definition: ResourceDefinition<State>) => ResourceDefinition<State>;
  readonly defineResourceTemplate: <const T extends string>(
    config: ResourceTemplateConfig<T, State>,
  ) => ResourceTemplateDefinition<State>;
  readonly definePrompt: <const R = object>(config: PromptConfig<R, State>) => PromptDefinition<State>;
}

/** Binds all definitions of a server to the type of its state. */
export const defineFor = <State>(): Definers<State> => ({
  defineTool: (config) => config,
  defineResource: (definition) => definition,
  defineResourceTemplate: (config) => config,
  definePrompt: (config) => config,
});
