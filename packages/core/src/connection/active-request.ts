import { invalidParams } from "../jsonrpc/error.ts";
import { isObject, type Params, type RequestId } from "../jsonrpc/message.ts";
import {
  checkCapabilities,
  formQuestion,
  rootsQuestion,
  urlQuestion,
  type Question,
} from "../features/asking.ts";
import type { Catalog } from "../features/catalog.ts";
import type { AskOptions, Context, Elicit, Notify } from "../features/context.ts";
import { createLog, type Log, type LogEntry } from "../features/logging.ts";
import { ProgressReporter } from "../features/progress.ts";
import { samplingQuestion } from "../features/sampling.ts";
import type { ToolDefinition } from "../features/tool.ts";
import type { ClientView } from "../model/capabilities.ts";
import type { MetaObject } from "../model/content.ts";
import { StopSource } from "../timing/stop-signal.ts";
import type { NeutralRequest } from "./neutral-request.ts";
import type { Replay } from "./replay.ts";
import type { Task } from "./task.ts";

/** What an active request needs from its connection. */
export interface ActiveRequestPorts {
  readonly runtime: { readonly state: unknown; readonly notify: Notify };
  log(active: ActiveRequest, entry: LogEntry): void;
  ask<T>(active: ActiveRequest, question: Question<T>, options: AskOptions | undefined): Promise<T>;
  detach(active: ActiveRequest): void;
}

const NO_META: MetaObject = {};

/**
 * One request in flight, and the context its handler sees. Nothing here is made before it is used: most tools never touch
 * the signal, log or report.
 */
export class ActiveRequest implements Context {
  readonly request: NeutralRequest;
  readonly meta: MetaObject;
  /** Modern era, once something was asked or answered. */
  replay: Replay | undefined;
  /** Modern era, once the client was answered with a handle. */
  task: Task | undefined;
  /** While the task is being stored where every replica finds it. */
  becoming: Promise<void> | undefined;
  /** Whether it may have announced changes. */
  hasNotified = false;
  /** The answer is on its way, and nothing about this request may follow it. */
  isFinished = false;
  readonly #ports: ActiveRequestPorts;
  #stop: StopSource | undefined;
  #log: Log | undefined;
  #reporter: ProgressReporter | undefined;

  constructor(request: NeutralRequest, ports: ActiveRequestPorts) {
    this.request = request;
    const meta = request.params["_meta"];
    this.meta = isObject(meta) ? meta : NO_META;
    this.#ports = ports;
  }

  get requestId(): RequestId {
    return this.request.id;
  }

  get client(): ClientView {
    return this.request.client;
  }

  get principal(): string | undefined {
    return this.request.route.principal;
  }

  get state(): unknown {
    return this.#ports.runtime.state;
  }

  get notify(): Notify {
    this.hasNotified = true;
    return this.#ports.runtime.notify;
  }

  get stop(): StopSource {
    return (this.#stop ??= new StopSource());
  }

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  get isCancelled(): boolean {
    return this.#stop?.aborted ?? false;
  }

  cancel(reason: unknown): void {
    this.stop.abort(reason);
  }

  get log(): Log {
    return (this.#log ??= createLog((entry) => this.#ports.log(this, entry)));
  }

  get progress(): Context["progress"] {
    const { progressToken } = this.meta;
    return (progress, total, message) => {
      if (message !== undefined) this.#say(message);
      if (progressToken === undefined || this.isFinished) return;
      this.#reporter ??= new ProgressReporter((report) => this.#sendProgress({ progressToken, ...report }));
      this.#reporter.report({
        progress,
        ...(total !== undefined && Number.isFinite(total) && { total }),
        ...(message !== undefined && { message }),
      });
    };
  }

  get elicit(): Elicit {
    const elicit = (question: Parameters<Elicit>[0], options?: AskOptions): Promise<unknown> =>
      "url" in question
        ? this.#ask(urlQuestion(question), options)
        : this.#ask(formQuestion(question), options);
    // One function for both of its overloads.
    return elicit as Elicit;
  }

  get sample(): Context["sample"] {
    return async (params, options) => this.#ask(samplingQuestion(params, this.#mayIncludeContext()), options);
  }

  get roots(): Context["roots"] {
    return (options) => this.#ask(rootsQuestion, options);
  }

  get detach(): () => void {
    return () => this.#ports.detach(this);
  }

  /** Called before the answer: flushes progress, and nothing may follow. */
  finish(): void {
    this.isFinished = true;
    this.#reporter?.flush();
    this.#reporter = undefined;
  }

  /** Revisions without a capability for it let clients ignore the request for context. */
  #mayIncludeContext(): boolean {
    const { dialect, client } = this.request;
    return !dialect.declaresSamplingContext || client.capabilities.sampling?.context !== undefined;
  }

  #ask<T>(question: Question<T>, options: AskOptions | undefined): Promise<T> {
    const answer = this.#askIfDeclared(question, options);
    // A handler may ask several questions before it awaits the first; until then rejections must not count as unhandled.
    answer.catch(() => undefined);
    return answer;
  }

  async #askIfDeclared<T>(question: Question<T>, options: AskOptions | undefined): Promise<T> {
    checkCapabilities(question, this.client.capabilities);
    return this.#ports.ask(this, question, options);
  }

  #say(message: string): void {
    if (this.becoming) void this.becoming.then(() => this.task?.say(message));
    else this.task?.say(message);
  }

  #sendProgress(params: Params): void {
    // Checked here: the report may have been held back since before the request was cancelled.
    if (this.isCancelled) return;
    const { route, dialect } = this.request;
    route.channel.send({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: dialect.encodeProgress(params),
    });
  }
}

/** Tokens are the client's to choose, within the type (progress#progress-flow). */
export function checkProgressToken(params: Params): void {
  const meta = params["_meta"];
  const token = isObject(meta) ? meta["progressToken"] : undefined;
  if (token === undefined || typeof token === "string" || Number.isInteger(token)) return;
  throw invalidParams("_meta.progressToken must be a string or an integer");
}

/** The tool that a request calls, if it calls one. */
export function calledTool(
  { method, params }: NeutralRequest,
  { tools }: Catalog,
): ToolDefinition<never> | undefined {
  const { name } = params;
  return method === "tools/call" && typeof name === "string" ? tools?.get(name)?.definition : undefined;
}
