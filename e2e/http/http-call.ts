import { request, type IncomingHttpHeaders, type IncomingMessage } from "node:http";

import { undoAfterTest } from "../support/afterwards.ts";
import type { Message, Predicate } from "../support/message.ts";
import { PATIENCE_MS, until, within } from "../support/patience.ts";

export interface HttpEvent {
  readonly id?: string;
  readonly event?: string;
  readonly retry?: string;
  readonly data?: string;
}

export interface HttpCallOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  /** Gives it up, even before there is an answer. */
  readonly signal?: AbortSignal | undefined;
}

/** One HTTP request, and the answer to it as it arrives: read with nothing of ours. */
export class HttpCall {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Resolves when nothing more will come; true if the server meant it. */
  readonly ended: Promise<boolean>;
  text = "";
  readonly #response: IncomingMessage;
  readonly #taken = new Set<number>();

  constructor(response: IncomingMessage) {
    this.#response = response;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    response.setEncoding("utf8").on("data", (text: string) => (this.text += text));
    // A connection that breaks off shows in how it ended.
    response.on("error", () => undefined);
    this.ended = new Promise((resolve) => response.on("close", () => resolve(response.complete)));
  }

  get events(): readonly HttpEvent[] {
    const whole = this.text.split("\n\n").slice(0, -1);
    return whole.map(toEvent).filter((event) => Object.keys(event).length > 0);
  }

  /** The comments that keep the connection alive. */
  get comments(): readonly string[] {
    return this.text.split("\n").filter((line) => line.startsWith(":"));
  }

  /** Everything that JSON-RPC said, however it came. */
  get messages(): readonly Message[] {
    const isStream = this.headers["content-type"] === "text/event-stream";
    const events = this.events.filter(
      ({ event = "message", data = "" }) => event === "message" && data !== "",
    );
    const texts = isStream ? events.map(({ data = "" }) => data) : [this.text].filter((text) => text !== "");
    return texts.flatMap((text) => [JSON.parse(text) as Message | Message[]].flat());
  }

  /** Takes the oldest message not yet taken that fits; waits for it if need be. */
  async hear(fits: Predicate): Promise<Message> {
    const look = (): Message | undefined => {
      const at = this.messages.findIndex((message, index) => !this.#taken.has(index) && fits(message));
      if (at !== -1) this.#taken.add(at);
      return this.messages[at];
    };
    return until(look, "A message of the kind", { seen: () => this.text });
  }

  /** Tells of every message as it arrives, those before included. */
  follow(listener: (message: Message) => void): void {
    let told = 0;
    const tell = (): void => {
      for (const message of this.messages.slice(told)) {
        told += 1;
        listener(message);
      }
    };
    if (this.headers["content-type"] !== "text/event-stream") return void this.ended.then(tell);
    tell();
    this.#response.on("data", tell);
  }

  /** Waits for the end and gives the last thing said. */
  async answer(): Promise<Message> {
    await within(this.ended, "The answer did not end");
    const last = this.messages.at(-1);
    if (!last) throw new Error(`HTTP ${this.status} without a message: ${this.text}`);
    return last;
  }

  /** As a client that loses its connection, or does not want it any more. */
  drop(): void {
    this.#response.destroy();
  }
}

function toEvent(block: string): HttpEvent {
  const fields = block.split("\n").filter((line) => !line.startsWith(":"));
  return Object.fromEntries(
    fields.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trimStart()]),
  );
}

/** Sends a request and waits for the headers of the answer. */
export function callHttp(
  url: string,
  { method = "GET", headers = {}, body, signal }: HttpCallOptions = {},
): Promise<HttpCall> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false, signal }, (response) => {
      clearTimeout(timer);
      resolve(new HttpCall(response));
    });
    const timer = setTimeout(() => sent.destroy(new Error("No answer came")), PATIENCE_MS);
    undoAfterTest(() => void sent.destroy());
    sent.on("close", () => clearTimeout(timer));
    sent.on("error", reject);
    sent.end(body);
  });
}
