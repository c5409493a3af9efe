import {
  isOfTheProtocol,
  Reply,
  type CallToolResult,
  type Context,
  type MaybePromise,
  type ToolDefinition as CoreToolDefinition,
} from "@suite/core";

import { KeyedLocks } from "../../domain/timing/locks.ts";
import type { CallContext } from "./call-context.ts";
import { confirm } from "./confirmation.ts";
import { continueWith, identity } from "./continue-with.ts";
import { toCause, toFailedResult } from "./failures.ts";
import { createOutputCheck, toOutputSchema, type OutputChecks } from "./output-schema.ts";
import type { GuidedContract } from "./tool-guide.ts";
import { annotationsOf, toToolMeta } from "./tool-meta.ts";
import { isDryRun, type ToolDefinition } from "./tool.ts";
import { toReply } from "./views.ts";

/** Adapts a tool for the core: asks for confirmation where required, and runs writes to the same target one at a time. */
export function toCoreTool<State>(
  tool: ToolDefinition<State>,
  contract: GuidedContract,
  locks: KeyedLocks,
  checks: OutputChecks = "convert",
): CoreToolDefinition<State> {
  const { name, title, description, effects, icons, needs, task, input } = tool;
  const output = toOutputSchema(tool);
  let check: ReturnType<typeof createOutputCheck> | undefined;
  const run = (given: never, inner: Context<State>): MaybePromise<Reply> => {
    // The contract layer gives every call a CallContext.
    const context = inner as CallContext<State>;
    const fail = (thrown: unknown): Reply => {
      if (isOfTheProtocol(thrown, context)) throw thrown;
      return fromFailure(toFailedResult(toCause(thrown, context.stop), contract));
    };
    const finish = (result: unknown): MaybePromise<Reply> => {
      logChange(tool, given, result, context);
      // A ready Reply is passed on unchanged.
      if (result instanceof Reply) return result as Reply;
      const views = { input: given, limit: context.limit, contract };
      check ??= createOutputCheck(tool, checks);
      const checked = check(result);
      return checked instanceof Promise
        ? checked.then((settled) => toReply(tool, result, settled, views))
        : toReply(tool, result, checked, views);
    };
    return continueWith(
      () => runInTurn(tool, given, context, contract, locks),
      (result) => continueWith(() => finish(result), identity, fail),
      fail,
    );
  };
  return {
    name,
    title,
    description,
    effects,
    input,
    ...(contract.results !== "text" && { output }),
    run,
    annotations: annotationsOf(tool),
    ...(icons && { icons }),
    ...(needs && { needs }),
    ...(task && { task }),
    // Computed with the first list: at the start, the digest would cost more than the rest of the tool.
    get meta() {
      return toToolMeta(tool, output);
    },
  };
}

function runInTurn<State>(
  tool: ToolDefinition<State>,
  input: never,
  context: CallContext<State>,
  contract: GuidedContract,
  locks: KeyedLocks,
): MaybePromise<unknown> {
  const needsPerson =
    !isDryRun(input) &&
    ((contract.confirm && tool.effects === "destructive") ||
      tool.mustConfirm?.(input, context.state) === true);
  if (!needsPerson && tool.targets === undefined) return runFenced(tool, input, context);
  return (async () => {
    if (needsPerson) await confirm(tool, input, context);
    if (tool.targets === undefined) return runFenced(tool, input, context);
    const targets = await tool.targets(input, context.state);
    return locks.run(targets, context.signal, () => runFenced(tool, input, context));
  })();
}

/** A call that was claimed among replicas may have lost its claim while it waited. */
function runFenced<State>(
  tool: ToolDefinition<State>,
  input: never,
  context: CallContext<State>,
): MaybePromise<unknown> {
  const passed = context.fence?.();
  return passed ? passed.then(() => tool.run(input, context)) : tool.run(input, context);
}

interface ReportedChange {
  readonly changed?: readonly string[];
  readonly changed_total?: number;
  readonly undo?: string;
}

const MOST_LOGGED = 20;

/** Sends a log message for changes, whichever tool made them. */
function logChange<State>(
  { name, effects }: ToolDefinition<State>,
  input: unknown,
  result: unknown,
  { log }: CallContext<State>,
): void {
  if (effects === "read" || isDryRun(input)) return;
  const { changed = [], changed_total: total = changed.length, undo } = (result ?? {}) as ReportedChange;
  if (changed.length > 0)
    log.info({ event: "changed", tool: name, changed: changed.slice(0, MOST_LOGGED), total, undo });
}

const fromFailure = ({ content, _meta }: CallToolResult): Reply =>
  new Reply({ content, isError: true, ...(_meta && { meta: _meta }) });
