import { compileSchema, type CompiledSchema } from "../schema/compile.ts";
import type { InputOf, OutputOf, Schema } from "../schema/infer.ts";
import type { ClientCapabilities } from "../model/capabilities.ts";
import type { ContentBlock, Icon, MetaObject } from "../model/content.ts";
import type { JsonObjectSchema, Tool, ToolAnnotations } from "../model/entities.ts";
import { pick } from "../values/pick.ts";
import type { MaybePromise } from "../values/maybe-promise.ts";
import {
  checkConversion,
  checkFunction,
  checkKeys,
  checkSchema,
  nameOf,
  type KeysOf,
} from "./check-definition.ts";
import type { Context } from "./context.ts";
import type { Reply } from "./reply.ts";
import type { TaskSupport } from "./tasks.ts";

/** What a tool may change; the annotations for clients are derived from it. */
export type Effects = "read" | "write" | "destructive";

interface ToolFacts {
  readonly name: string;
  readonly title?: string;
  /** For the model: when to use it, what comes back, what its limits are. */
  readonly description: string;
  readonly effects?: Effects;
  /** Adds to, or overrides, what `effects` says. */
  readonly annotations?: ToolAnnotations;
  readonly icons?: readonly Icon[];
  readonly meta?: MetaObject;
  /**
   * Lets the tool continue as a task after `context.detach()`, for clients that support tasks: they get a handle with which to
   * fetch the result. "required" refuses other clients.
   */
  readonly task?: TaskSupport;
  /** The capability without which this tool is of no use to a client: it is not listed for clients that lack it. */
  readonly needs?: keyof ClientCapabilities;
}

/** What `defineTool` takes. */
export interface ToolConfig<I extends Schema, O extends Schema, State> extends ToolFacts {
  readonly input?: I;
  /** If given, `run` returns what the schema describes, and the client gets it as `structuredContent`. */
  readonly output?: O;
  readonly run: (input: OutputOf<I>, context: Context<State>) => MaybePromise<ToolReturn<O>>;
  /** What the model reads beside the structured result; its JSON when left out. */
  readonly text?: (output: OutputOf<O>) => string | readonly ContentBlock[];
}

/** `Schema` itself stands for "no output schema given": only then may `run` return bare content. */
type ToolReturn<O extends Schema> = Schema extends O
  ? string | ContentBlock | readonly ContentBlock[] | Reply | undefined | void
  : (InputOf<O> & Json) | Reply<InputOf<O>>;

/** Narrows nothing, but without it the compiler would infer `unknown` and no literal types. */
type Json = object | string | number | boolean | null;

/** A tool as a server takes it: what `defineTool` returns, its types no longer known. */
export interface ToolDefinition<in State = unknown> extends ToolFacts {
  readonly input?: Schema;
  readonly output?: Schema;
  readonly run: (input: never, context: Context<State>) => unknown;
  readonly text?: (output: never) => string | readonly ContentBlock[];
}

/** Declares a tool. Arguments and result are inferred from the schemas. */
export const defineTool = <
  const I extends Schema = { readonly type: "object" },
  const O extends Schema = Schema,
  State = unknown,
>(
  config: ToolConfig<I, O, State>,
): ToolDefinition<State> => config;

const KEYS: KeysOf<ToolDefinition> = {
  name: "required",
  title: "optional",
  description: "required",
  effects: "optional",
  annotations: "optional",
  icons: "optional",
  meta: "optional",
  task: "optional",
  needs: "optional",
  input: "optional",
  output: "optional",
  run: "required",
  text: "optional",
};

/** The names that all clients and models support (2025-11-25 tools#tool-names). */
const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

const EFFECTS: ReadonlySet<unknown> = new Set(["read", "write", "destructive", undefined]);

/** Checked at start-up: a tool with misspelled effects would be offered where it must not be. */
function checkTool(definition: ToolDefinition<never>): void {
  const { name, run, effects } = definition;
  const what = nameOf("tool", name);
  checkKeys(what, definition, KEYS);
  if (!NAME.test(name)) {
    throw new TypeError(`${what} needs another name: 1 to 128 letters, digits, "_", "-" and "."`);
  }
  checkFunction(what, "run", run);
  checkSchema(what, "input", definition.input);
  checkSchema(what, "output", definition.output);
  if (!EFFECTS.has(effects)) throw new TypeError(`effects of ${what} must be read, write or destructive`);
}

const NO_ARGUMENTS: JsonObjectSchema = { type: "object", additionalProperties: false };

/** A registered tool: its schemas are compiled, and its list entry is made, when first needed. */
export class ToolEntry {
  readonly definition: ToolDefinition<never>;
  readonly input: CompiledSchema;
  readonly output: CompiledSchema | undefined;
  #listed: Tool | undefined;
  #outputIsObject: boolean | undefined;

  constructor(definition: ToolDefinition<never>, convertsSchemas = true) {
    checkTool(definition);
    this.definition = definition;
    this.input = compileSchema(definition.input ?? NO_ARGUMENTS);
    this.output = definition.output && compileSchema(definition.output);
    if (!convertsSchemas) return;
    const what = nameOf("tool", definition.name);
    checkConversion(what, "input", this.input);
    if (this.output) checkConversion(what, "output", this.output);
  }

  /** Needed for every result, so it is separate from the list entry: the first call need not wait for that. */
  outputIsObject(): boolean {
    return (this.#outputIsObject ??= this.output?.outputJson()["type"] === "object");
  }

  listed(): Tool {
    return (this.#listed ??= this.#describe());
  }

  #describe(): Tool {
    const { effects, annotations, icons, meta } = this.definition;
    return {
      ...pick(this.definition, ["name", "title", "description"]),
      // Every revision wants an object at the root, whatever else the schema says.
      inputSchema: { type: "object", ...this.input.inputJson() },
      ...(this.output && { outputSchema: this.output.outputJson() }),
      ...((effects ?? annotations) && { annotations: { ...annotationsOf(effects), ...annotations } }),
      ...(icons && { icons }),
      ...(meta && { _meta: meta }),
    };
  }
}

function annotationsOf(effects: Effects | undefined): ToolAnnotations {
  if (effects === undefined) return {};
  return effects === "read"
    ? { readOnlyHint: true }
    : { readOnlyHint: false, destructiveHint: effects === "destructive" };
}
