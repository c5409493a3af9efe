import { readFileSync } from "node:fs";

import type { Transcript } from "../support/faults.ts";
import { compileSchema } from "../support/json-schema.ts";
import { type Fields, isRequest, isResponse, type Message } from "../support/message.ts";
import { inRoot } from "../support/root.ts";
import type { Revision } from "../support/revisions.ts";

/** The specification's own names of what answers a method. */
const RESULTS: { readonly [method: string]: string } = {
  initialize: "InitializeResult",
  "server/discover": "DiscoverResult",
  "tools/list": "ListToolsResult",
  "tools/call": "CallToolResult",
  "resources/list": "ListResourcesResult",
  "resources/templates/list": "ListResourceTemplatesResult",
  "resources/read": "ReadResourceResult",
  "prompts/list": "ListPromptsResult",
  "prompts/get": "GetPromptResult",
  "completion/complete": "CompleteResult",
};

const MESSAGES: { readonly [method: string]: string } = {
  "notifications/message": "LoggingMessageNotification",
  "notifications/progress": "ProgressNotification",
  "notifications/cancelled": "CancelledNotification",
  "notifications/resources/updated": "ResourceUpdatedNotification",
  "notifications/resources/list_changed": "ResourceListChangedNotification",
  "notifications/tools/list_changed": "ToolListChangedNotification",
  "notifications/prompts/list_changed": "PromptListChangedNotification",
  "roots/list": "ListRootsRequest",
  "sampling/createMessage": "CreateMessageRequest",
  "elicitation/create": "ElicitRequest",
  ping: "PingRequest",
};

type Judge = ReturnType<typeof compileSchema>;

/** The official schema of a revision, without its descriptions; each kind is compiled when it is first met. */
function loadSchema(revision: Revision): (kind: string) => Judge | undefined {
  const schema = JSON.parse(readFileSync(inRoot(`e2e/bed/schemas/${revision}.json`), "utf8")) as Fields;
  const member = "$defs" in schema ? "$defs" : "definitions";
  const judges = new Map<string, Judge>();
  return (kind) => {
    if ((schema[member] as Fields)[kind] === undefined) return undefined;
    const judge = judges.get(kind) ?? compileSchema({ ...schema, $ref: `#/${member}/${kind}` });
    judges.set(kind, judge);
    return judge;
  };
}

const loaded = new Map<Revision, ReturnType<typeof loadSchema>>();

/** Where what a server said does not fit the official schema of the revision. */
export function schemaFaultsIn({ said, heard }: Transcript, revision: Revision): readonly string[] {
  const judgeOf = loaded.get(revision) ?? loadSchema(revision);
  loaded.set(revision, judgeOf);
  const methods = new Map(said.filter(isRequest).map(({ id, method }) => [id, method]));
  return heard.flatMap((message) => {
    const { what, kind, value } = toJudged(message, methods.get(message.id));
    const misfit = value === undefined ? undefined : judgeOf(kind)?.(value);
    return misfit === undefined ? [] : [`${what} does not match ${kind}: ${misfit}`];
  });
}

function toJudged(
  message: Message,
  answered = "",
): { readonly what: string; readonly kind: string; readonly value: unknown } {
  const { method = "", result } = message;
  if (!isResponse(message)) return { what: method, kind: MESSAGES[method] ?? "", value: message };
  const isAsking = result?.["resultType"] === "input_required";
  const kind = isAsking ? "InputRequiredResult" : (RESULTS[answered] ?? "");
  return { what: `The result of ${answered}`, kind, value: result };
}
