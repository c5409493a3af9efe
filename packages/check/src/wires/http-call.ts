import { request, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { request as requestSecurely } from "node:https";

import { closeLater } from "./leftovers.ts";
import { type Message, parseMessages, type Predicate } from "./message.ts";
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
const SHOWN_TEXT = 1000;
/** In characters: the end of an event without the last. */
const MOST_BEGUN_END = "\r\n\r".length;

/** One HTTP request, and the answer to it as it arrives: read with nothing of ours. */
export class HttpCall {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Resolves when nothing more will come; true if the server meant it. */
  readonly ended: Promise<boolean>;
  text = "";
  readonly events: HttpEvent[] = [];
  /** The event that is still coming: its beginning, and the last characters, in which its end may have begun. */
  #begun: string[] = [];
  #unread = "";
  /** The messages in the events before `#parsed`. */
  readonly #inEvents: Message[] = [];
  #parsed = 0;
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
      this.#readEvents(text);
      if (this.text.length > MOST_TEXT) response.destroy();
    });
    // A connection that breaks off shows in how it ended.
    response.on("error", () => undefined);
    this.ended = new Promise((resolve) => response.on("close", () => resolve(response.complete)));
  }

  get isStream(): boolean {
    return this.headers["content-type"]?.split(";")[0]?.trim() === "text/event-stream";
  }

  /** The comments that keep the connection alive. */
  get comments(): readonly string[] {
    return this.text.split("\n").filter((line) => line.startsWith(":"));
  }

  /** Everything that JSON-RPC said, however it came. */
  get messages(): readonly Message[] {
    if (!this.isStream) return this.text === "" ? [] : parseMessages(this.text);
    for (; this.#parsed < this.events.length; this.#parsed += 1) {
      const { event = "message", data = "" } = this.events[this.#parsed] ?? {};
      if (event === "message" && data !== "") this.#inEvents.push(...parseMessages(data));
    }
    return this.#inEvents;
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
      const messages = this.#readable();
      while (told < messages.length) listener(messages[told++] as Message);
    };
    if (!this.isStream) return void this.ended.then(tell);
    tell();
    this.#response.on("data", tell);
  }

  #readEvents(text: string): void {
    if (!this.isStream) return;
    // A long event comes in many pieces: all of it is not searched again for each of them.
    const blocks = `${this.#unread}${text}`.split(/\r?\n\r?\n/);
    const rest = blocks.pop() ?? "";
    if (blocks.length > 0) {
      blocks[0] = [...this.#begun, blocks[0]].join("");
      this.#begun = [];
    }
    this.#begun.push(rest.slice(0, -MOST_BEGUN_END));
    this.#unread = rest.slice(-MOST_BEGUN_END);
    this.events.push(...blocks.map(toEvent).filter((event) => Object.keys(event).length > 0));
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
    const last = this.#readable().at(-1);
    if (!last) throw new Error(`HTTP ${this.status} without a message: ${this.text.slice(0, SHOWN_TEXT)}`);
    return last;
  }

  /** As a client that loses its connection, or does not want it any more. */
  drop(): void {
    this.#response.destroy();
  }
}

/** A message may be spread over several lines of data. */
function toEvent(block: string): HttpEvent {
  const event: Record<string, string> = {};
  for (const line of block.split(/\r?\n/).filter((one) => !one.startsWith(":"))) {
    const name = line.slice(0, line.indexOf(":"));
    const value = line.slice(line.indexOf(":") + 1).trimStart();
    event[name] = name === "data" && name in event ? `${event[name]}\n${value}` : value;
  }
  return event;
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
    const forget = closeLater(() => void sent.destroy());
    sent.on("close", () => {
      clearTimeout(timer);
      forget();
    });
    sent.on("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === undefined ? error.message : `${error.code} ${error.message}`.trimEnd();
      reject(new Error(`${url} cannot be reached: ${why}`, { cause: error }));
    });
    sent.end(body);
  });
}
