import type { Transcript } from "../wires/any-wire.ts";
import { type Fields, isNotification, isOf, isRequest, isResponse, type Message } from "../wires/message.ts";
import { isModern, META_PROTOCOL_VERSION, type Revision } from "../wires/revisions.ts";
import { officialOf } from "./official.ts";
import { strangersIn } from "./strangers.ts";

/** Something that no server may say, by the rule that it breaks. */
export interface Fault {
  readonly rule: string;
  readonly words: string;
  readonly message: Message;
}

/** A conversation, and what is looked up in it for every message: each is read once, however long it is. */
interface Conversation extends Transcript {
  /** The request that each response answers: where an id was used again, in the order of the responses. */
  readonly asked: ReadonlyMap<Message, Message>;
  /** Where the first answer to each id is. */
  readonly answered: ReadonlyMap<unknown, number>;
  /** Where each request of the server uses its id first. */
  readonly ownIds: ReadonlyMap<unknown, number>;
  readonly tokens: ReadonlyMap<unknown, readonly Message[]>;
  /** The progress before, by the progress that follows it. */
  readonly previous: ReadonlyMap<Message, Message>;
  readonly agreed: Revision | undefined;
}

type Find = (message: Message, at: number, conversation: Conversation) => string | false | undefined;

/** Everything in a conversation that no server may ever say, whatever it was about. */
export function findFaults(transcript: Transcript): readonly Fault[] {
  const conversation = read(transcript);
  return conversation.heard.flatMap((message, at) =>
    FINDERS.flatMap(([rule, find]) => {
      const words = find(message, at, conversation);
      return typeof words === "string" ? [{ rule, words, message }] : [];
    }),
  );
}

/** The same, each in a line. */
export const faultsIn = (conversation: Transcript): string[] =>
  findFaults(conversation).map(({ words, message }) => `${words}: ${JSON.stringify(message).slice(0, 500)}`);

/** Where what a server said does not fit the official schema of the revision. */
export function findMisfits(transcript: Transcript, revision: Revision): readonly string[] {
  const official = officialOf(revision);
  const { heard, asked } = read(transcript);
  return heard.flatMap((message) => {
    const { method, result } = message;
    const question = asked.get(message)?.method ?? "";
    const isAsking = result?.["resultType"] === "input_required";
    const kind = method === undefined ? official.resultOf(question) : official.kindOf(method);
    if (kind === undefined || (method === undefined && result === undefined)) return [];
    const shown = isAsking ? "InputRequiredResult" : kind;
    const misfit = official.judge(shown, method === undefined ? result : message);
    const what = method ?? `The result of ${question}`;
    return misfit === undefined ? [] : [`${what} does not match ${shown}: ${misfit}`];
  });
}

const isId = (id: unknown): boolean => typeof id === "string" || Number.isSafeInteger(id);
const metaOf = (fields: Fields | undefined): Fields => (fields?.["_meta"] ?? {}) as Fields;

/** As in Map.groupBy, which Node.js 20 does not have. */
function groupBy(messages: readonly Message[], keyOf: (message: Message) => unknown) {
  const groups = new Map<unknown, Message[]>();
  for (const message of messages) {
    const key = keyOf(message);
    const group = groups.get(key);
    if (group) group.push(message);
    else groups.set(key, [message]);
  }
  return groups;
}

function read({ said, heard }: Transcript): Conversation {
  const requests = groupBy(said.filter(isRequest), ({ id }) => id);
  const taken = new Map<unknown, number>();
  const asked = new Map<Message, Message>();
  const answered = new Map<unknown, number>();
  const ownIds = new Map<unknown, number>();
  const last = new Map<unknown, Message>();
  const previous = new Map<Message, Message>();
  for (const [at, message] of heard.entries()) {
    const { id, params } = message;
    if (isRequest(message) && !ownIds.has(id)) ownIds.set(id, at);
    if (isProgress(message)) {
      const before = last.get(params?.["progressToken"]);
      if (before) previous.set(message, before);
      last.set(params?.["progressToken"], message);
    }
    if (!isResponse(message)) continue;
    const nth = taken.get(id) ?? 0;
    taken.set(id, nth + 1);
    if (!answered.has(id)) answered.set(id, at);
    const request = requests.get(id)?.[nth];
    if (request) asked.set(message, request);
  }
  const tokens = groupBy(said, ({ params }) => metaOf(params)["progressToken"]);
  const opened = heard.find(({ result }) => result?.["serverInfo"] !== undefined);
  const agreed = opened?.result?.["protocolVersion"] as Revision | undefined;
  return { said, heard, asked, answered, ownIds, tokens, previous, agreed };
}

/** The revision that a message must keep to: its request's own, or that of the handshake. */
function revisionOf(message: Message, { asked, agreed }: Conversation): Revision | undefined {
  const modern = metaOf(asked.get(message)?.params)[META_PROTOCOL_VERSION];
  if (modern !== undefined) return modern === "2026-07-28" ? modern : undefined;
  return agreed;
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
      !conversation.asked.has(message) &&
      "A response to nothing that was asked, or the second to the same",
  ],
  [
    "base/notification-without-id",
    (message) =>
      isRequest(message) && message.method?.startsWith("notifications/") && "A notification with an id",
  ],
  [
    "base/own-request-ids",
    (message, at, { ownIds }) =>
      isRequest(message) &&
      (!isId(message.id) || ownIds.get(message.id) !== at) &&
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

const isModernResult = (message: Message, conversation: Conversation): boolean =>
  message.result !== undefined && isModern(revisionOf(message, conversation));

function unknownResultType(message: Message, _at: number, conversation: Conversation): string | false {
  if (!isModernResult(message, conversation)) return false;
  const { resultType } = message.result ?? {};
  return resultType !== "complete" && resultType !== "input_required" && "An unknown resultType";
}

function namelessResult(message: Message, _at: number, conversation: Conversation): string | false {
  if (!isModernResult(message, conversation)) return false;
  const info = metaOf(message.result)["io.modelcontextprotocol/serverInfo"] as Fields | undefined;
  return !(info?.["name"] && info["version"]) && "A result that does not name its server";
}

/** Of the codes that the specification keeps for itself only these occur on stdio. */
const MODERN_CODES: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32603, -32021, -32022]);

function modernCode(message: Message, _at: number, conversation: Conversation): string | false {
  if (!message.error || !isModern(revisionOf(message, conversation))) return false;
  const { code } = message.error;
  return code >= -32768 && code <= -32000 && !MODERN_CODES.has(code) && "A reserved error code";
}

const isProgress = (message: Message): boolean =>
  isNotification(message) && message.method === "notifications/progress";

/** The requests that asked for progress with this token, and whether one of them was in flight at the time. */
function askedForProgress({ params }: Message, at: number, { tokens, answered }: Conversation) {
  const requests = tokens.get(params?.["progressToken"]) ?? [];
  return { requests, isInFlight: requests.some(({ id }) => (answered.get(id) ?? at) >= at) };
}

function strayProgress(message: Message, at: number, conversation: Conversation): string | false {
  if (!isProgress(message)) return false;
  return !askedForProgress(message, at, conversation).isInFlight && "Progress on nothing in flight";
}

function stuckProgress(message: Message, at: number, conversation: Conversation): string | false {
  const before = conversation.previous.get(message);
  if (!before) return false;
  const { requests, isInFlight } = askedForProgress(message, at, conversation);
  if (!isInFlight || requests.length > 1) return false;
  const isMore = Number(message.params?.["progress"]) > Number(before.params?.["progress"]);
  return !isMore && "Progress that does not grow";
}

function strangers(message: Message, _at: number, conversation: Conversation): string | false {
  const revision = revisionOf(message, conversation) ?? "2026-07-28";
  const found = strangersIn(message, revision, conversation.asked.get(message)?.method);
  return found.length > 0 && `Unknown in ${revision} (${found.join(", ")})`;
}
