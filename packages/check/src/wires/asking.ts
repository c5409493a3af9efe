import { isOf, type Fields, type Message } from "./message.ts";
import { isModern, type Revision } from "./revisions.ts";
import type { AnyWire } from "./any-wire.ts";

/** A client that can be asked for anything. */
export const CAPABLE = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: { listChanged: true },
};

/** The same client as far as the revision has words for it: whoever says more is answered with more than the revision knows. */
export const capableIn = (revision: Revision): object =>
  revision >= "2025-11-25"
    ? CAPABLE
    : { roots: CAPABLE.roots, sampling: {}, ...(revision >= "2025-06-18" && { elicitation: {} }) };

export interface ServerQuestion {
  readonly method: string;
  readonly params: Fields;
  /** Modern era. */
  readonly key?: string;
}

type AnswerTable = { readonly [method: string]: (params: Fields) => Fields };

export interface ConversationResult {
  /** The last answer: of the request itself, once nothing is left to ask. */
  readonly response: Message;
  readonly asked: readonly ServerQuestion[];
  /** Every result of type input_required (modern era). */
  readonly interim: readonly Fields[];
}

const MOST_ROUNDS = 12;

/** One request with everything that is asked on the way answered, in either era. */
export const converse = (
  wire: AnyWire,
  method: string,
  params: Fields,
  answers: AnswerTable,
): Promise<ConversationResult> =>
  isModern(wire.revision)
    ? converseInRounds(wire, method, params, answers)
    : converseInBetween(wire, method, params, answers);

export const converseWithTool = (
  wire: AnyWire,
  name: string,
  answers: AnswerTable,
  args: Fields = {},
): Promise<ConversationResult> => converse(wire, "tools/call", { name, arguments: args }, answers);

async function converseInBetween(
  wire: AnyWire,
  method: string,
  params: Fields,
  answers: AnswerTable,
): Promise<ConversationResult> {
  const asked: ServerQuestion[] = [];
  for (const [kind, answer] of Object.entries(answers)) {
    wire.answer(kind, (question) => {
      asked.push({ method: kind, params: question });
      return answer(question);
    });
  }
  const response = await wire.request(method, params);
  return { response, asked, interim: [] };
}

async function converseInRounds(
  wire: AnyWire,
  method: string,
  params: Fields,
  answers: AnswerTable,
): Promise<ConversationResult> {
  const asked: ServerQuestion[] = [];
  const interim: Fields[] = [];
  let response = await wire.request(method, params);
  while (response.result?.["resultType"] === "input_required" && interim.length < MOST_ROUNDS) {
    const { result } = response;
    interim.push(result);
    const questions = questionsOf(result);
    asked.push(...questions);
    const inputResponses = Object.fromEntries(
      questions.map((question) => [question.key, answers[question.method]?.(question.params)]),
    );
    response = await wire.request(method, {
      ...params,
      inputResponses,
      requestState: result["requestState"],
    });
  }
  return { response, asked, interim };
}

export const questionsOf = (
  result: Fields | undefined,
): readonly (ServerQuestion & { readonly key: string })[] =>
  Object.entries(
    (result?.["inputRequests"] ?? {}) as { readonly [key: string]: Omit<ServerQuestion, "key"> },
  ).map(([key, question]) => ({ ...question, key }));

/** Opens a listen stream and gives its id, once the server has acknowledged it. */
export async function listen(wire: AnyWire, notifications: Fields, id?: unknown): Promise<unknown> {
  const sent = wire.send("subscriptions/listen", { notifications }, id === undefined ? {} : { id });
  const isAcknowledged = isOf("notifications/subscriptions/acknowledged");
  await wire.hear((message) => isAcknowledged(message) && subscriptionOf(message) === sent);
  return sent;
}

export const META_SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";

export const subscriptionOf = ({ params, result }: Message): unknown =>
  ((params ?? result)?.["_meta"] as Fields | undefined)?.[META_SUBSCRIPTION_ID];

/** The methods of all notifications heard from this message on. */
export const notificationsSince = (wire: AnyWire, from: number): readonly string[] =>
  wire.heard
    .slice(from)
    .flatMap(({ id, method }) => (id === undefined && method !== undefined ? [method] : []));
