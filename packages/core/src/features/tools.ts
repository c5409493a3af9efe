import {
  INTERNAL_ERROR,
  invalidParams,
  MISSING_REQUIRED_CLIENT_CAPABILITY,
  ProtocolError,
  shorten,
} from "../jsonrpc/error.ts";
import { isObject, type Params } from "../jsonrpc/message.ts";
import { Serialized } from "../jsonrpc/to-json.ts";
import type { ContentBlock } from "../model/content.ts";
import {
  FAILURE,
  STRUCTURED_IS_NOT_OBJECT,
  type CallToolResult,
  type ToolFailure,
} from "../model/entities.ts";
import type { Validated } from "../schema/compile.ts";
import { describeIssues } from "../schema/json-schema/issue.ts";
import { SchemaError } from "../schema/json-schema/schema.ts";
import type { MaybePromise } from "../values/maybe-promise.ts";
import type { Context } from "./context.ts";
import { Interruption } from "./asking.ts";
import { Reply, toContent, ToolError } from "./reply.ts";
import { requireTasks } from "./tasks.ts";
import type { ToolEntry } from "./tool.ts";

/** `arguments` of tools and prompts may be missing or null: both mean none. */
export function readCallArguments(params: Params): Params {
  const given = params["arguments"] ?? {};
  if (!isObject(given)) throw invalidParams("arguments must be an object");
  return given;
}

export const unknownTool = (name: string): ProtocolError => invalidParams(`Unknown tool: ${shorten(name)}`);

/** Where failures go that their author did not write for the model. */
export interface FailureReporting {
  readonly report: (thrown: unknown) => void;
  readonly redact: (data: unknown) => unknown;
}

/** Runs one call. Stays synchronous as long as everything it touches is: a promise costs more than most tools do. */
export function callTool(
  entry: ToolEntry,
  args: Params,
  context: Context,
  reporting: FailureReporting,
): MaybePromise<CallToolResult> {
  const validated = validate(entry, args);
  return validated instanceof Promise
    ? validated.then((settled) => runTool(entry, settled, context, reporting))
    : runTool(entry, validated, context, reporting);
}

/** A schema that cannot be used must be reported, not treated as one that allows everything (basic#schema-validation). */
function validate(entry: ToolEntry, args: Params): MaybePromise<Validated> {
  try {
    return entry.input.validate(args);
  } catch (thrown) {
    if (!(thrown instanceof SchemaError)) throw thrown;
    const { name } = entry.definition;
    const message = `Tool ${name} has an inputSchema that cannot be enforced: ${thrown.message}`;
    throw new ProtocolError(INTERNAL_ERROR, message, undefined, { cause: thrown });
  }
}

function runTool(
  entry: ToolEntry,
  validated: Validated,
  context: Context,
  reporting: FailureReporting,
): MaybePromise<CallToolResult> {
  if (validated.issues !== undefined) {
    const { name } = entry.definition;
    const { issues } = validated;
    return failure(`Invalid arguments for tool ${name}:\n${describeIssues(issues)}`, { at: "input", issues });
  }
  const fail = (thrown: unknown): CallToolResult => toFailure(thrown, "run", context, reporting);
  const refuse = (thrown: unknown): CallToolResult => toFailure(thrown, "output", context, reporting);
  const finish = (returned: unknown): MaybePromise<CallToolResult> => {
    try {
      const result = toResult(entry, returned);
      return result instanceof Promise ? result.catch(refuse) : result;
    } catch (thrown) {
      return refuse(thrown);
    }
  };
  try {
    if (entry.definition.task === "required") requireTasks(context.client);
    const returned = entry.definition.run(validated.value as never, context as Context<never>);
    return isThenable(returned) ? Promise.resolve(returned).then(finish, fail) : finish(returned);
  } catch (thrown) {
    return fail(thrown);
  }
}

/** Query builders and the like are thenables, but not promises. */
const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";

function toResult(entry: ToolEntry, returned: unknown): MaybePromise<CallToolResult> {
  if (returned instanceof Reply) return fromReply(entry, returned);
  if (entry.output === undefined) return { content: toBlocks(returned) };
  return structuredResult(entry, returned, undefined);
}

function fromReply(entry: ToolEntry, { parts }: Reply<unknown>): MaybePromise<CallToolResult> {
  const { structured, content, isError, meta } = parts;
  const extras = (isError !== undefined || meta) && {
    ...(isError !== undefined && { isError }),
    ...(meta && { _meta: meta }),
  };
  // A failure need not have the shape that success promises.
  if (entry.output === undefined || (structured === undefined && isError === true)) {
    return { content: toContent(content ?? ""), ...extras };
  }
  const result = structuredResult(entry, structured, content);
  if (!extras) return result;
  return result instanceof Promise
    ? result.then((settled) => ({ ...settled, ...extras }))
    : { ...result, ...extras };
}

/**
 * A server MUST NOT send structured content that breaks its own output schema (tools#output-schema). Whoever serialized it has
 * checked it.
 */
function structuredResult(
  entry: ToolEntry,
  value: unknown,
  content: string | readonly ContentBlock[] | undefined,
): MaybePromise<CallToolResult> {
  const validated = value instanceof Serialized ? { value } : (entry.output?.validate(value) ?? { value });
  return validated instanceof Promise
    ? validated.then((settled) => withContent(entry, settled, content))
    : withContent(entry, validated, content);
}

function withContent(
  entry: ToolEntry,
  validated: Validated,
  content: string | readonly ContentBlock[] | undefined,
): CallToolResult {
  const { name, text } = entry.definition;
  const structuredContent = requireMatch(name, validated);
  const value = structuredContent instanceof Serialized ? structuredContent.value : structuredContent;
  const rendered = content ?? text?.(value as never) ?? JSON.stringify(value);
  const result = { content: toContent(rendered), structuredContent };
  return entry.outputIsObject() ? result : { ...result, [STRUCTURED_IS_NOT_OBJECT]: true };
}

/** What the output schema made of a tool's result. Throws if the result does not match it. */
export function requireMatch(tool: string, validated: Validated): unknown {
  if (validated.issues === undefined) return validated.value;
  const issues = describeIssues(validated.issues);
  throw new Error(`Tool ${tool} returned a result that does not match its output schema:\n${issues}`);
}

function toBlocks(returned: unknown): readonly ContentBlock[] {
  if (returned === undefined) return [];
  if (typeof returned === "string") return toContent(returned);
  return Array.isArray(returned) ? (returned as readonly ContentBlock[]) : [returned as ContentBlock];
}

/** Errors that a tool throws become results for the model to read, except those that must be protocol errors. */
function toFailure(
  thrown: unknown,
  at: "run" | "output",
  context: Context,
  { report, redact }: FailureReporting,
): CallToolResult {
  if (isOfTheProtocol(thrown, context)) throw thrown;
  if (thrown instanceof ToolError) {
    const result = failure(thrown.message, { at });
    return thrown.meta ? { ...result, _meta: thrown.meta } : result;
  }
  // This message was not written for the model, so secrets are removed from it, and the operator gets a report.
  report(thrown);
  return failure(String(redact(thrown instanceof Error ? thrown.message : String(thrown))), { at });
}

/**
 * Whether what a tool threw must be sent as a protocol error. Legacy revisions have no code for a missing capability, so
 * there it is a failure of the tool; the modern one requires the code (basic#_meta).
 */
export const isOfTheProtocol = (thrown: unknown, { client }: Pick<Context, "client">): boolean =>
  thrown instanceof Interruption ||
  (thrown instanceof ProtocolError &&
    !(thrown.code === MISSING_REQUIRED_CLIENT_CAPABILITY && client.era === "legacy"));

const failure = (text: string, where: ToolFailure): CallToolResult => ({
  content: [{ type: "text", text }],
  isError: true,
  [FAILURE]: where,
});
