import { request, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { request as requestSecurely } from "node:https";

import { closeLater } from "./leftovers.ts";
import type { Message, Predicate } from "./message.ts";
import { PATIENCE_MS, until, within } from "./patience.ts";

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
  /** How long the headers of the answer, and then its end, may take. */
  readonly timeoutMs?: number | undefined;
}

/** In characters: an answer that is longer is cut off. */
const MOST_TEXT = 256 * 2 ** 20;

/** One HTTP request, and the answer to it as it arrives: read with nothing of ours. */
export class HttpCall {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Resolves when nothing more will come; true if the server meant it. */
  readonly ended: Promise<boolean>;
  text = "";
  readonly #response: IncomingMessage;
  readonly #taken = new Set<number>();
  readonly #timeoutMs: number;

  constructor(response: IncomingMessage, timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.#response = response;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    response.setEncoding("utf8").on("data", (text: string) => {
      this.text += text;
      if (this.text.length > MOST_TEXT) response.destroy();
    });
    // A connection that breaks off shows in how it ended.
    response.on("error", () => undefined);
    this.ended = new Promise((resolve) => response.on("close", () => resolve(response.complete)));
  }

  get isStream(): boolean {
    return this.headers["content-type"]?.split(";")[0]?.trim() === "text/event-stream";
  }

  get events(): readonly HttpEvent[] {
    const whole = this.text.replaceAll("\r\n", "\n").split("\n\n").slice(0, -1);
    return whole.map(toEvent).filter((event) => Object.keys(event).length > 0);
  }

  /** The comments that keep the connection alive. */
  get comments(): readonly string[] {
    return this.text.split("\n").filter((line) => line.startsWith(":"));
  }

  /** Everything that JSON-RPC said, however it came. */
  get messages(): readonly Message[] {
    const events = this.events.filter(
      ({ event = "message", data = "" }) => event === "message" && data !== "",
    );
    const texts = this.isStream
      ? events.map(({ data = "" }) => data)
      : [this.text].filter((text) => text !== "");
    return texts.flatMap((text) => [JSON.parse(text) as Message | Message[]].flat());
  }

  /** Takes the oldest message not yet taken that fits; waits for it if need be. */
  async hear(fits: Predicate): Promise<Message> {
    const look = (): Message | undefined => {
      const at = this.messages.findIndex((message, index) => !this.#taken.has(index) && fits(message));
      if (at !== -1) this.#taken.add(at);
      return this.messages[at];
    };
    return until(look, "A message of the kind", { timeoutMs: this.#timeoutMs, seen: () => this.text });
  }

  /** Tells of every message as it arrives, those before included; until something is none. */
  follow(listener: (message: Message) => void): void {
    let told = 0;
    const tell = (): void => {
      for (const message of this.#readable().slice(told)) {
        told += 1;
        listener(message);
      }
    };
    if (!this.isStream) return void this.ended.then(tell);
    tell();
    this.#response.on("data", tell);
  }

  #readable(): readonly Message[] {
    try {
      return this.messages;
    } catch {
      return [];
    }
  }

  /** Waits for the end and gives the last thing said. */
  async answer(): Promise<Message> {
    await within(this.ended, "The answer did not end", { timeoutMs: this.#timeoutMs });
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
  { method = "GET", headers = {}, body, signal, timeoutMs = PATIENCE_MS }: HttpCallOptions = {},
): Promise<HttpCall> {
  return new Promise((resolve, reject) => {
    const open = url.startsWith("https:") ? requestSecurely : request;
    const sent = open(url, { method, headers, agent: false, signal }, (response) => {
      clearTimeout(timer);
      resolve(new HttpCall(response, timeoutMs));
    });
    const timer = setTimeout(() => sent.destroy(new Error("No answer came")), timeoutMs);
    closeLater(() => void sent.destroy());
    sent.on("close", () => clearTimeout(timer));
    sent.on("error", reject);
    sent.end(body);
  });
}
