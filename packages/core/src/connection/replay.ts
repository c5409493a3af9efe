import { invalidParams } from "../jsonrpc/error.ts";
import { isObject, type Params } from "../jsonrpc/message.ts";
import { addUnused, Interruption, InvalidAnswer, type Question } from "../features/asking.ts";
import type { NeutralRequest } from "./neutral-request.ts";
import {
  toBinding,
  toDigest,
  type Answered,
  type ReplayMemory,
  type RequestStateSeal,
} from "./request-state.ts";

/** The three requests that may answer with questions (mrtr#supported-requests). */
const CAN_ASK: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);

export const mayAsk = ({ method, dialect }: NeutralRequest): boolean =>
  dialect.era === "modern" && CAN_ASK.has(method);

export const bringsAnswers = ({ params }: NeutralRequest): boolean =>
  params["requestState"] !== undefined || params["inputResponses"] !== undefined;

/**
 * Asking in the modern era (mrtr). A question without an answer stops the handler; the client repeats the request with the
 * answer, and the handler runs again from the top with everything answered so far at hand.
 */
export class Replay {
  readonly #request: NeutralRequest;
  readonly #seal: RequestStateSeal;
  readonly #binding: string;
  readonly #given: Params;
  readonly #earlier: Promise<ReplayMemory>;
  readonly #answered = new Map<string, Answered>();
  readonly #open = new Map<string, { readonly digest: string; readonly request: Params }>();
  readonly #names = new Set<string>();
  readonly #asking: Promise<unknown>[] = [];

  constructor(request: NeutralRequest, seal: RequestStateSeal) {
    const { requestState, inputResponses = {} } = request.params;
    if (!isObject(inputResponses)) throw invalidParams("inputResponses must be an object");
    this.#request = request;
    this.#seal = seal;
    this.#binding = toBinding(request.method, request.params, request.route.principal);
    this.#given = inputResponses;
    this.#earlier = this.#openState(requestState);
    // `verify` and `ask` report the rejection; this only keeps it from counting as unhandled until then.
    this.#earlier.catch(() => undefined);
  }

  /** Rejects for a forged or stale state, before the handler runs and whether or not it asks anything. */
  async verify(): Promise<void> {
    await this.#earlier;
  }

  ask<T>(question: Question<T>, key: string | undefined): Promise<T> {
    const name = addUnused(key ?? `${question.method}#${this.#asking.length + 1}`, this.#names);
    const answer = this.#find(question, name);
    this.#asking.push(answer);
    return answer;
  }

  /** The questions that have no answer yet, if there are any: then the handler must run again, whatever else it did. */
  async toInputRequired(): Promise<Params | undefined> {
    // Questions asked side by side go out together.
    await Promise.allSettled(this.#asking);
    if (this.#open.size === 0) return undefined;
    // In the order in which they were asked: digests are ready in any order.
    const names = [...this.#names];
    const open = [...this.#open].toSorted(([a], [b]) => names.indexOf(a) - names.indexOf(b));
    const memory = {
      answers: Object.fromEntries(this.#answered),
      asked: Object.fromEntries(open.map(([name, { digest }]) => [name, digest])),
    };
    return {
      resultType: "input_required",
      inputRequests: Object.fromEntries(open.map(([name, { request }]) => [name, request])),
      requestState: await this.#seal.seal(memory, this.#binding),
    };
  }

  async #openState(requestState: unknown): Promise<ReplayMemory> {
    if (requestState === undefined) return { answers: {}, asked: {} };
    if (typeof requestState !== "string") throw invalidParams("requestState must be a string");
    return this.#seal.open(requestState, this.#binding);
  }

  async #find<T>(question: Question<T>, name: string): Promise<T> {
    const { method } = question;
    const request = { method, params: this.#request.dialect.encodeQuestion(method, question.params) };
    const digest = await toDigest(request);
    for (const answer of await this.#answersTo(name, digest)) {
      try {
        const read = await question.readAnswer(answer);
        this.#answered.set(name, { digest, answer });
        return read;
      } catch (thrown) {
        // The specification wants the question asked again rather than an error (mrtr#error-handling).
        if (!(thrown instanceof InvalidAnswer)) throw thrown;
      }
    }
    this.#open.set(name, { digest, request });
    throw new Interruption();
  }

  /**
   * Consent to one thing is not consent to another: an answer only counts for the exact question that was asked. Answers
   * without a state were not asked for; they are accepted as the client's own statement.
   */
  async #answersTo(name: string, digest: string): Promise<unknown[]> {
    const { answers, asked } = await this.#earlier;
    const before = Object.hasOwn(answers, name) ? answers[name] : undefined;
    if (before?.digest === digest) return [before.answer];
    const hasState = this.#request.params["requestState"] !== undefined;
    const isMeant = !hasState || (Object.hasOwn(asked, name) && asked[name] === digest);
    return isMeant && Object.hasOwn(this.#given, name) ? [this.#given[name]] : [];
  }
}
