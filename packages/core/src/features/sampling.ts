import { isObject } from "../jsonrpc/message.ts";
import type { CreateMessageParams, CreateMessageResult, SamplingMessage } from "../model/asking.ts";
import { isList } from "../values/is-list.ts";
import { InvalidAnswer, type Question } from "./asking.ts";

const MODEL_MS = 2 * 60_000;

/** Throws for a conversation that the protocol does not allow. */
export function samplingQuestion(
  params: CreateMessageParams,
  mayIncludeContext: boolean,
): Question<CreateMessageResult> {
  checkConversation(params.messages);
  const { includeContext, ...rest } = params;
  const sent = mayIncludeContext ? params : rest;
  return {
    method: "sampling/createMessage",
    params: { ...sent },
    requires: { sampling: params.tools || params.toolChoice ? { tools: {} } : {} },
    timeoutMs: MODEL_MS,
    readAnswer(answer) {
      if (isAnswer(answer)) return answer;
      throw new InvalidAnswer("The client's sampling answer lacks a role, a model or valid content");
    },
  };
}

/** Each use of a tool is answered in the very next message, which holds nothing else (sampling#tool-result-messages). */
function checkConversation(messages: readonly SamplingMessage[]): void {
  let open: readonly string[] = [];
  for (const { role, content } of messages) {
    const blocks = isList(content) ? content : [content];
    const results = blocks.flatMap((block) => (block.type === "tool_result" ? [block.toolUseId] : []));
    const isAnswered = results.length === open.length && open.every((id) => results.includes(id));
    if (!isAnswered || (results.length > 0 && (results.length !== blocks.length || role !== "user"))) {
      throw new Error(
        "Every tool use must be answered in the next message, which is the user's and has only tool results",
      );
    }
    open = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  }
  if (open.length > 0)
    throw new Error("The last message uses tools, but no message with their results follows");
}

const isAnswer = (answer: unknown): answer is CreateMessageResult =>
  isObject(answer) &&
  (answer["role"] === "assistant" || answer["role"] === "user") &&
  typeof answer["model"] === "string" &&
  (Array.isArray(answer["content"]) ? answer["content"].every(isBlock) : isBlock(answer["content"]));

const isBlock = (block: unknown): boolean =>
  isObject(block) && (TEXTS_OF.get(block["type"])?.every((name) => typeof block[name] === "string") ?? false);

/** The members of each kind of content that must be strings. */
const TEXTS_OF: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["text", ["text"]],
  ["image", ["data", "mimeType"]],
  ["audio", ["data", "mimeType"]],
  ["tool_use", ["id", "name"]],
  ["tool_result", ["toolUseId"]],
]);
