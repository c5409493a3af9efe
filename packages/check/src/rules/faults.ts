import type { Transcript } from "../wires/any-wire.ts";
import { type Fields, isNotification, isOf, isRequest, isResponse, type Message } from "../wires/message.ts";
import { isModern, META_PROTOCOL_VERSION, type Revision } from "../wires/revisions.ts";
import { strangersIn } from "./strangers.ts";

/** Something that no server may say, by the rule that it breaks. */
export interface Fault {
  readonly rule: string;
  readonly words: string;
  readonly message: Message;
}

type Find = (message: Message, at: number, conversation: Transcript) => string | false | undefined;

/** Everything in a conversation that no server may ever say, whatever it was about. */
export const findFaults = (conversation: Transcript): readonly Fault[] =>
  conversation.heard.flatMap((message, at) =>
    FINDERS.flatMap(([rule, find]) => {
      const words = find(message, at, conversation);
      return typeof words === "string" ? [{ rule, words, message }] : [];
    }),
  );

/** The same, each in a line. */
export const faultsIn = (conversation: Transcript): string[] =>
  findFaults(conversation).map(({ words, message }) => `${words}: ${JSON.stringify(message).slice(0, 500)}`);

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

const FINDERS: readonly (readonly [rule: string, find: Find])[] = [
  ["base/jsonrpc-member", ({ jsonrpc }) => jsonrpc !== "2.0" && "jsonrpc is not 2.0"],
  [
    "base/response-result-xor-error",
    (message) =>
      isResponse(message) && "result" in message === "error" in message && "Not one of result and error",
  ],
  [
    "base/error-code-and-message",
    ({ error }) =>
      error &&
      !(Number.isInteger(error.code) && typeof error.message === "string") &&
      "An error without code or message",
  ],
  [
    "base/error-message-concise",
    ({ error }) =>
      error && !/^[^\r\n]{1,300}$/.test(error.message) && "An error message is not one short line",
  ],
  [
    "base/response-echoes-id",
    (message, _at, conversation) =>
      isResponse(message) &&
      !(message.error && !("id" in message)) &&
      !askedBy(conversation, message) &&
      "A response to nothing that was asked, or the second to the same",
  ],
  [
    "base/notification-without-id",
    (message) =>
      isRequest(message) && message.method?.startsWith("notifications/") && "A notification with an id",
  ],
  [
    "base/own-request-ids",
    (message, at, { heard }) =>
      isRequest(message) &&
      (!isId(message.id) || heard.findIndex((other) => isRequest(other) && other.id === message.id) !== at) &&
      "A request of the server without an id of its own",
  ],
  [
    "base/no-server-requests",
    (message, _at, { said }) =>
      isRequest(message) && !said.some(isOf("initialize")) && "A request of the server",
  ],
  ["base/result-type-known", unknownResultType],
  ["meta/server-info-in-results", namelessResult],
  ["base/codes-reserved-range", modernCode],
  ["progress/token-of-active-request", strayProgress],
  ["progress/increases", stuckProgress],
  ["lifecycle/respects-negotiated-version", strangers],
];

const isModernResult = (message: Message, conversation: Transcript): boolean =>
  message.result !== undefined && isModern(revisionOf(message, conversation));

function unknownResultType(message: Message, _at: number, conversation: Transcript): string | false {
  if (!isModernResult(message, conversation)) return false;
  const { resultType } = message.result ?? {};
  return resultType !== "complete" && resultType !== "input_required" && "An unknown resultType";
}

function namelessResult(message: Message, _at: number, conversation: Transcript): string | false {
  if (!isModernResult(message, conversation)) return false;
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

const isProgress = (message: Message): boolean =>
  isNotification(message) && message.method === "notifications/progress";

/** The requests that asked for progress with this token, and whether one of them was in flight at the time. */
function askedForProgress(token: unknown, at: number, { said, heard }: Transcript) {
  const requests = said.filter(({ params }) => metaOf(params)["progressToken"] === token);
  const answered = new Set(
    heard
      .slice(0, at)
      .filter(isResponse)
      .map(({ id }) => id),
  );
  return { requests, isInFlight: requests.some(({ id }) => !answered.has(id)) };
}

function strayProgress(message: Message, at: number, conversation: Transcript): string | false {
  if (!isProgress(message)) return false;
  const { isInFlight } = askedForProgress(message.params?.["progressToken"], at, conversation);
  return !isInFlight && "Progress on nothing in flight";
}

function stuckProgress(message: Message, at: number, conversation: Transcript): string | false {
  if (!isProgress(message)) return false;
  const { progressToken, progress } = message.params ?? {};
  const { requests, isInFlight } = askedForProgress(progressToken, at, conversation);
  if (!isInFlight || requests.length > 1) return false;
  const last = conversation.heard
    .slice(0, at)
    .findLast(({ params }) => params?.["progressToken"] === progressToken);
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
