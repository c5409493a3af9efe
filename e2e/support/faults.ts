import { type Fields, isNotification, isOf, isRequest, isResponse, type Message } from "./message.ts";
import { isModern, META_PROTOCOL_VERSION, type Revision } from "./revisions.ts";
import { strangersIn } from "./strangers.ts";

/** What both sides of a line said, in order. */
export interface Transcript {
  readonly said: readonly Message[];
  readonly heard: readonly Message[];
}

type Rule = (message: Message, at: number, conversation: Transcript) => string | false | undefined;

/** Everything in a conversation that no server may ever say, whatever the test was about. */
export function faultsIn(conversation: Transcript): string[] {
  return conversation.heard.flatMap((message, at) =>
    RULES.map((rule) => rule(message, at, conversation))
      .filter((fault) => typeof fault === "string")
      .map((fault) => `${fault}: ${JSON.stringify(message).slice(0, 500)}`),
  );
}

const isId = (id: unknown): boolean => typeof id === "string" || Number.isSafeInteger(id);
const metaOf = (fields: Fields | undefined): Fields => (fields?.["_meta"] ?? {}) as Fields;

/** The request that a response answers: where an id was used again, in the order of the responses. */
function askedBy({ said, heard }: Transcript, response: Message): Message | undefined {
  const hasId = ({ id }: Message): boolean => id === response.id;
  const at = heard.filter((message) => isResponse(message) && hasId(message)).indexOf(response);
  return said.filter((message) => isRequest(message) && hasId(message))[at];
}

/** The revision that a message must keep to: its request's own, or that of the handshake. */
function revisionOf(message: Message, conversation: Transcript): Revision | undefined {
  const request = isResponse(message) ? askedBy(conversation, message) : undefined;
  const modern = metaOf(request?.params)[META_PROTOCOL_VERSION];
  if (modern !== undefined) return modern === "2026-07-28" ? modern : undefined;
  const opened = conversation.heard.find(({ result }) => result?.["serverInfo"] !== undefined);
  return opened?.result?.["protocolVersion"] as Revision | undefined;
}

const RULES: readonly Rule[] = [
  ({ jsonrpc }) => jsonrpc !== "2.0" && "jsonrpc is not 2.0",
  (message) =>
    isResponse(message) && "result" in message === "error" in message && "Not one of result and error",
  ({ error }) =>
    error &&
    !(Number.isInteger(error.code) && typeof error.message === "string") &&
    "An error without code or message",
  ({ error }) => error && !/^[^\r\n]{1,300}$/.test(error.message) && "An error message is not one short line",
  (message, _at, conversation) =>
    isResponse(message) &&
    !(message.error && !("id" in message)) &&
    !askedBy(conversation, message) &&
    "A response to nothing that was asked, or the second to the same",
  (message) =>
    isRequest(message) && message.method?.startsWith("notifications/") && "A notification with an id",
  (message, at, { heard }) =>
    isRequest(message) &&
    (!isId(message.id) || heard.findIndex((other) => isRequest(other) && other.id === message.id) !== at) &&
    "A request of the server without an id of its own",
  (message, _at, { said }) =>
    isRequest(message) && !said.some(isOf("initialize")) && "A request of the server",
  modernResult,
  modernCode,
  (message, at, conversation) => isNotification(message) && badProgress(message, at, conversation),
  strangers,
];

function modernResult(message: Message, _at: number, conversation: Transcript): string | false {
  if (message.result === undefined || !isModern(revisionOf(message, conversation))) return false;
  const { resultType } = message.result;
  if (resultType !== "complete" && resultType !== "input_required") return "An unknown resultType";
  const info = metaOf(message.result)["io.modelcontextprotocol/serverInfo"] as Fields | undefined;
  return !(info?.["name"] && info["version"]) && "A result that does not name its server";
}

/** Of the codes that the specification keeps for itself only these occur on stdio. */
const MODERN_CODES: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32603, -32021, -32022]);

function modernCode(message: Message, _at: number, conversation: Transcript): string | false {
  if (!message.error || !isModern(revisionOf(message, conversation))) return false;
  const { code } = message.error;
  return code >= -32768 && code <= -32000 && !MODERN_CODES.has(code) && "A reserved error code";
}

function badProgress({ method, params = {} }: Message, at: number, conversation: Transcript): string | false {
  if (method !== "notifications/progress") return false;
  const { progressToken, progress } = params;
  const earlier = conversation.heard.slice(0, at);
  const requests = conversation.said.filter((said) => metaOf(said.params)["progressToken"] === progressToken);
  const open = requests.filter(
    ({ id }) => !earlier.some((message) => isResponse(message) && message.id === id),
  );
  if (open.length === 0) return "Progress on nothing in flight";
  if (requests.length > 1) return false;
  const last = earlier.findLast((message) => message.params?.["progressToken"] === progressToken);
  return (
    last !== undefined &&
    !(Number(progress) > Number(last.params?.["progress"])) &&
    "Progress that does not grow"
  );
}

function strangers(message: Message, _at: number, conversation: Transcript): string | false {
  const revision = revisionOf(message, conversation) ?? "2026-07-28";
  const found = strangersIn(message, revision, askedBy(conversation, message)?.method);
  return found.length > 0 && `Unknown in ${revision} (${found.join(", ")})`;
}
