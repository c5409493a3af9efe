import {
  Reply,
  type CallToolResult,
  type ContentBlock,
  type Context,
  type MaybePromise,
  type ToolDefinition as CoreToolDefinition,
} from "@suite/core";

import { Fault } from "../errors/fault.ts";
import { KeyedLocks } from "../processes/locks.ts";
import { renderParts, Untrusted } from "../text/fence.ts";
import { isSuspect, reveal } from "../text/reveal.ts";
import { CallContext } from "./call-context.ts";
import { confirm } from "./confirmation.ts";
import { isMissingInLegacy, isOfTheProtocol, toCause, toFailedResult } from "./failures.ts";
import { settle } from "./settle.ts";
import type { ContractSettings } from "./settings.ts";
import { annotationsOf, toToolMeta } from "./tool-meta.ts";
import type { TextPart, ToolDefinition } from "./tool.ts";

/** A tool of the suite as the core runs it: asked for first where the operator wants that, one writer at a time, safely told. */
export function toCoreTool(
  tool: ToolDefinition<never>,
  contract: ContractSettings,
  locks: KeyedLocks,
): CoreToolDefinition<never> {
  const { name, title, description, effects, icons, task, input, output, timeoutMs } = tool;
  const run = (given: never, context: Context<never>): MaybePromise<Reply> => {
    const fail = (thrown: unknown): Reply => {
      if (isOfTheProtocol(thrown) && !isMissingInLegacy(thrown, context)) throw thrown;
      return fromFailure(toFailedResult(toCause(thrown, context.stop), contract));
    };
    return settle(
      () => runInTurn(tool, given, context, contract, locks),
      (result) => {
        try {
          return toReply(tool, result);
        } catch (thrown) {
          return fail(thrown);
        }
      },
      fail,
    );
  };
  const definition: CoreToolDefinition<never> & Pick<typeof tool, "timeoutMs"> = {
    name,
    title,
    description,
    effects,
    input,
    output,
    run,
    ...(timeoutMs !== undefined && { timeoutMs }),
    annotations: annotationsOf(tool),
    ...(icons && { icons }),
    ...(task && { task }),
    // Asked for with the first list, and not before: a digest costs a start more than the rest of a tool.
    get meta() {
      return toToolMeta(tool);
    },
  };
  return definition;
}

function runInTurn(
  tool: ToolDefinition<never>,
  input: never,
  context: Context<never>,
  contract: ContractSettings,
  locks: KeyedLocks,
): MaybePromise<unknown> {
  if (context instanceof CallContext) context.hasRun = true;
  const needsPerson = contract.confirm && tool.effects === "destructive" && !isDryRun(input);
  if (!needsPerson && tool.targets === undefined) return tool.run(input, context);
  return (async () => {
    if (needsPerson) await confirm(tool, input, context);
    if (tool.targets === undefined) return tool.run(input, context);
    const targets = await tool.targets(input, context.state);
    return locks.run(targets, context.signal, () => tool.run(input, context));
  })();
}

const isDryRun = (input: unknown): boolean => (input as { readonly dry_run?: unknown }).dry_run === true;

const fromFailure = ({ content, _meta }: CallToolResult): Reply =>
  new Reply({ content, isError: true, ...(_meta && { meta: _meta }) });

function toReply(tool: ToolDefinition<never>, result: unknown): Reply {
  if (result instanceof Reply) return result as Reply;
  const rendered = tool.text(result as never);
  const parts = Array.isArray(rendered) ? (rendered as readonly TextPart[]) : [rendered as TextPart];
  const isTainted = parts.some((part) => part instanceof Untrusted);
  const structured = (isTainted && isAnySuspect(result) ? revealAll(result) : result) as never;
  return new Reply({ structured, content: toBlocks(parts) });
}

/** Far beyond what tools bound themselves to: only a tool with a mistake comes here. */
const LARGEST_TEXT = 8 * 1024 * 1024;

function toBlocks(parts: readonly TextPart[]): readonly ContentBlock[] {
  const texts: (string | Untrusted)[] = [];
  const others: ContentBlock[] = [];
  for (const part of parts) {
    if (typeof part === "string" || part instanceof Untrusted) texts.push(part);
    else others.push(part);
  }
  const text = renderParts(texts);
  if (text.length > LARGEST_TEXT) {
    throw new Fault("too_large", `The result has ${text.length} characters.`, {
      hint: "Ask for less at a time.",
    });
  }
  return text === "" ? others : [{ type: "text", text }, ...others];
}

function isAnySuspect(data: unknown): boolean {
  if (typeof data === "string") return isSuspect(data);
  if (typeof data !== "object" || data === null) return false;
  if (Array.isArray(data)) return data.some(isAnySuspect);
  for (const key in data) {
    if (isSuspect(key) || isAnySuspect((data as Record<string, unknown>)[key])) return true;
  }
  return false;
}

/** Programs pass structured results on to models, too. */
function revealAll(data: unknown): unknown {
  if (typeof data === "string") return reveal(data);
  if (typeof data !== "object" || data === null) return data;
  if (Array.isArray(data)) return data.map(revealAll);
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [reveal(key), revealAll(value)]));
}
