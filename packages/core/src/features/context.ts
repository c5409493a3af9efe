import type { OutputOf, Schema } from "../schema/infer.ts";
import type { CreateMessageParams, CreateMessageResult, Root } from "../model/asking.ts";
import type { ClientView } from "../model/capabilities.ts";
import type { MetaObject } from "../model/content.ts";
import type { StopSignal } from "../timing/stop-signal.ts";
import type { RequestId } from "../jsonrpc/message.ts";
import type { Log } from "./logging.ts";

/** What a tool, resource or prompt is given besides its arguments. Its members can be destructured. */
export interface Context<State = unknown> {
  /** Aborted when the client cancels or goes away. */
  readonly signal: AbortSignal;
  /** A cheap substitute for `signal`, to check or to listen to: an AbortSignal costs more than a small tool does. */
  readonly stop: StopSignal;
  readonly log: Log;
  /** Reports progress if the client asked for it: `progress` must grow, `total` is optional. */
  readonly progress: (progress: number, total?: number, message?: string) => void;
  readonly elicit: Elicit;
  readonly sample: (params: CreateMessageParams, options?: AskOptions) => Promise<CreateMessageResult>;
  readonly roots: (options?: AskOptions) => Promise<readonly Root[]>;
  readonly notify: Notify;
  /**
   * Lets the client stop waiting while the work continues. In 2026-07-28, a tool with `task` is answered with a task if the
   * client supports those; over HTTP, a client of 2025-11-25 resumes its stream. Elsewhere it does nothing.
   */
  readonly detach: () => void;
  readonly state: State;
  readonly client: ClientView;
  readonly requestId: RequestId;
  /** The request's `_meta` as it came. */
  readonly meta: MetaObject;
  /** Who is calling, where the transport knows (HTTP with authorization). */
  readonly principal: string | undefined;
}

/** For each question to the client. */
export interface AskOptions {
  /**
   * Names the question in the modern era, where the handler runs again from the top for each answer. Without it, questions
   * are told apart by their order, so ask in the same order every time.
   */
  readonly key?: string;
  readonly timeoutMs?: number;
}

/** In the modern era the handler runs again with the answers so far: ask before you act. */
export interface Elicit {
  <const S extends Schema>(question: FormQuestion<S>, options?: AskOptions): Promise<FormAnswer<OutputOf<S>>>;
  (question: UrlQuestion, options?: AskOptions): Promise<UrlAnswer>;
}

export interface FormQuestion<S extends Schema> {
  readonly message: string;
  /** An object of primitive fields: the protocol allows nothing deeper. */
  readonly schema: S;
}

export interface UrlQuestion {
  readonly message: string;
  readonly url: string;
}

/** `content` fits the schema of the question. */
export type FormAnswer<T> =
  | { readonly action: "accept"; readonly content: T }
  | { readonly action: "decline" | "cancel" };

/** Whether the person agreed to open the URL, not whether they have finished there. */
export interface UrlAnswer {
  readonly action: "accept" | "decline" | "cancel";
}

/** Tells every interested client that something changed. */
export interface Notify {
  resourceUpdated(uri: string): void;
  resourceListChanged(): void;
  toolListChanged(): void;
  promptListChanged(): void;
}
