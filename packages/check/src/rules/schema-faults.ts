import type { Transcript } from "../wires/any-wire.ts";
import { compileSchema } from "./json-schema.ts";
import { type Fields, isRequest, isResponse, type Message } from "../wires/message.ts";
import type { Revision } from "../wires/revisions.ts";
import schema20241105 from "./schemas/2024-11-05.json" with { type: "json" };
import schema20250326 from "./schemas/2025-03-26.json" with { type: "json" };
import schema20250618 from "./schemas/2025-06-18.json" with { type: "json" };
import schema20251125 from "./schemas/2025-11-25.json" with { type: "json" };
import schema20260728 from "./schemas/2026-07-28.json" with { type: "json" };

/** The official ones, without their descriptions. */
const SCHEMAS: Readonly<Record<Revision, Fields>> = {
  "2024-11-05": schema20241105,
  "2025-03-26": schema20250326,
  "2025-06-18": schema20250618,
  "2025-11-25": schema20251125,
  "2026-07-28": schema20260728,
};

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

/** Each kind of message is compiled when it is first met. */
function loadSchema(revision: Revision): (kind: string) => Judge | undefined {
  const schema = SCHEMAS[revision];
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
