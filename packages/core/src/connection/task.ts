import { outcomeUnknown, toErrorObject } from "../jsonrpc/error.ts";
import type { ErrorObject, Params } from "../jsonrpc/message.ts";
import { addUnused, InvalidAnswer, type Question } from "../features/asking.ts";
import type { NeutralRequest } from "./neutral-request.ts";

export interface TaskTimes {
  /** How long a task is kept, from its creation on; work that takes longer is aborted. */
  readonly ttlMs: number;
  /** How often clients should poll. */
  readonly pollIntervalMs: number;
}

interface OpenQuestion {
  readonly request: Params;
  readonly answer: (answer: unknown) => void;
  readonly withdraw: (reason: Error) => void;
}

type TaskOutcome =
  | { readonly status: "completed"; readonly result: Params }
  | { readonly status: "failed"; readonly error: ErrorObject }
  | { readonly status: "cancelled" };

/** A call that was answered with a handle while its work continues (SEP-2663). */
export class Task {
  readonly id: string = crypto.randomUUID();
  readonly principal: string | undefined;
  readonly #dialect: NeutralRequest["dialect"];
  readonly #times: TaskTimes;
  /** Cleared at the end: it references the call with its arguments, and the task is kept for longer. */
  #abort: ((reason: Error) => void) | undefined;
  readonly #changed: (task: Task) => void;
  readonly #open = new Map<string, OpenQuestion>();
  readonly #keys = new Set<string>();
  readonly #createdAt = new Date().toISOString();
  #updatedAt = this.#createdAt;
  #message: string | undefined;
  #outcome: TaskOutcome | undefined;

  constructor(
    { dialect, route }: Pick<NeutralRequest, "dialect" | "route">,
    times: TaskTimes,
    abort: (reason: Error) => void,
    changed: (task: Task) => void,
  ) {
    this.#dialect = dialect;
    this.principal = route.principal;
    this.#times = times;
    this.#abort = abort;
    this.#changed = changed;
  }

  get isDone(): boolean {
    return this.#outcome !== undefined;
  }

  /** The handle that the client gets. */
  describe(): Params {
    return {
      taskId: this.id,
      status: this.#outcome?.status ?? (this.#open.size > 0 ? "input_required" : "working"),
      ...(this.#message !== undefined && { statusMessage: this.#message }),
      createdAt: this.#createdAt,
      lastUpdatedAt: this.#updatedAt,
      ...this.#times,
    };
  }

  /** The answer to `tasks/get`. */
  detail(): Params {
    if (this.#outcome) return { ...this.describe(), ...this.#outcome };
    if (this.#open.size === 0) return this.describe();
    const inputRequests = [...this.#open].map(([key, { request }]) => [key, request]);
    return { ...this.describe(), inputRequests: Object.fromEntries(inputRequests) as Params };
  }

  /** Tasks have no progress notifications, but its messages are shown as `statusMessage`. */
  say(message: string): void {
    if (this.#outcome) return;
    this.#message = message;
    this.#touch();
  }

  /** A question stays open until the client sends a valid answer; after an invalid one it is asked again. */
  async ask<T>(question: Question<T>, key: string = question.method): Promise<T> {
    const { method } = question;
    const params = this.#dialect.encodeQuestion(method, question.params);
    // Keys are never reused within a task, so that clients can tell old questions from new ones.
    const answer = await this.#putOpen(addUnused(key, this.#keys), { method, params });
    try {
      return await question.readAnswer(answer);
    } catch (thrown) {
      if (!(thrown instanceof InvalidAnswer)) throw thrown;
      return this.ask(question, key);
    }
  }

  /** Answers to unknown or already answered questions are ignored (SEP-2663 task update requests). */
  answer(responses: Params): void {
    for (const [key, response] of Object.entries(responses)) {
      const question = this.#open.get(key);
      if (!question) continue;
      this.#open.delete(key);
      this.#touch();
      question.answer(response);
    }
  }

  /** `result` is the full result of the call. */
  complete(result: Params): void {
    this.#end({ status: "completed", result });
  }

  /** Only for protocol errors: a tool that reports a failure has completed (SEP-2663 task execution errors). */
  fail(error: ErrorObject): void {
    this.#message = error.message;
    this.#end({ status: "failed", error });
  }

  /** Only for clients: what the server itself ends has failed. */
  cancel(reason: Error): void {
    this.#abandon(reason, () => this.#end({ status: "cancelled" }));
  }

  abort(reason: Error): void {
    this.#abandon(reason, () => this.fail(toErrorObject(outcomeUnknown(reason))));
  }

  #abandon(reason: Error, end: () => void): void {
    if (this.#outcome) return;
    const open = [...this.#open.values()];
    const abort = this.#abort;
    end();
    abort?.(reason);
    for (const question of open) question.withdraw(reason);
  }

  /** The first outcome is final. */
  #end(outcome: TaskOutcome): void {
    if (this.#outcome) return;
    this.#outcome = outcome;
    this.#open.clear();
    this.#abort = undefined;
    this.#touch();
  }

  #putOpen(key: string, request: Params): Promise<unknown> {
    return new Promise((answer, withdraw) => {
      if (this.#outcome) return withdraw(new Error("The task has ended"));
      this.#open.set(key, { request, answer, withdraw });
      this.#touch();
    });
  }

  #touch(): void {
    this.#updatedAt = new Date().toISOString();
    this.#changed(this);
  }
}
