import { invalidParams, shorten, type ProtocolError } from "../jsonrpc/error.ts";
import type { Params } from "../jsonrpc/message.ts";
import type { GetPromptResult } from "../model/entities.ts";
import { isList } from "../values/is-list.ts";
import type { Context } from "./context.ts";
import type { PromptBody, PromptEntry } from "./prompt.ts";

export const unknownPrompt = (name: string): ProtocolError =>
  invalidParams(`Unknown prompt: ${shorten(name)}`);

export async function getPrompt(
  entry: PromptEntry,
  args: Params,
  context: Context,
): Promise<GetPromptResult> {
  const body = await entry.definition.render(checkArguments(entry, args) as never, context as Context<never>);
  return toResult(body, entry.definition.description);
}

/** Arguments of prompts are strings (GetPromptRequest); a missing required one is the caller's error. */
function checkArguments(entry: PromptEntry, args: Params): Record<string, string> {
  const declared = entry.definition.arguments ?? {};
  const problems: string[] = [];
  for (const [name, value] of Object.entries(args)) {
    if (!Object.hasOwn(declared, name)) problems.push(`${shorten(name)}: unknown argument`);
    else if (typeof value !== "string") problems.push(`${name}: expected a string`);
  }
  for (const [name, config] of Object.entries(declared)) {
    if (config.required === true && !Object.hasOwn(args, name)) problems.push(`${name}: is required`);
  }
  if (problems.length > 0) {
    throw invalidParams(
      `Invalid arguments for prompt ${entry.definition.name}: ${problems.slice(0, 20).join("; ")}`,
    );
  }
  return args as Record<string, string>;
}

function toResult(body: PromptBody, description: string | undefined): GetPromptResult {
  const described = description === undefined ? {} : { description };
  if (typeof body === "string") {
    return { ...described, messages: [{ role: "user", content: { type: "text", text: body } }] };
  }
  return isList(body) ? { ...described, messages: body } : { ...described, ...body };
}
