export interface ServerSentEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

export interface EventReceiver {
  event(event: ServerSentEvent): void;
  /** How long the server wants the client to wait before it reconnects. */
  retry(ms: number): void;
}

/** No event of this protocol is larger than a message may be. */
export const LARGEST_EVENT: number = 64 * 1024 * 1024;

/** Reads `text/event-stream` as it arrives, in pieces of any size. */
export class EventParser {
  readonly #receiver: EventReceiver;
  readonly #limit: number;
  /** The beginning of a line whose end has not arrived: in pieces, so that long lines are not copied again and again. */
  #unfinished: string[] = [];
  #size = 0;
  #endedWithReturn = false;
  #id: string | undefined;
  #event = "";
  #data: string[] = [];

  constructor(receiver: EventReceiver, limit: number = LARGEST_EVENT) {
    this.#receiver = receiver;
    this.#limit = limit;
  }

  push(text: string): void {
    if (text === "") return;
    // A carriage return ends its line at once; a line feed that arrives after it belongs to the same ending.
    const start = this.#endedWithReturn && text.startsWith("\n") ? 1 : 0;
    this.#endedWithReturn = text.endsWith("\r");
    const lines = text.slice(start).split(/\r\n|\n|\r/);
    const last = lines.pop() ?? "";
    for (const line of lines) this.#line(this.#complete(line));
    this.#grow(last.length);
    this.#unfinished.push(last);
  }

  #complete(line: string): string {
    this.#grow(line.length);
    if (this.#unfinished.length === 0) return line;
    const whole = this.#unfinished.join("") + line;
    this.#unfinished = [];
    return whole;
  }

  #grow(length: number): void {
    this.#size += length;
    if (this.#size > this.#limit) throw new Error("The server sent an event that is too large");
  }

  #line(line: string): void {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return this.#skipComment(line);
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.#receiver.retry(Number(value));
  }

  /** Keep-alive comments are not part of any event, however many there are. */
  #skipComment(line: string): void {
    this.#size -= line.length;
  }

  /** Events without data count here if they have an id: they say where to resume. */
  #dispatch(): void {
    const event = { id: this.#id, event: this.#event || "message", data: this.#data.join("\n") };
    const isEvent = this.#data.length > 0 || this.#id !== undefined;
    this.#id = undefined;
    this.#event = "";
    this.#data = [];
    this.#size = 0;
    if (isEvent) this.#receiver.event(event);
  }
}
