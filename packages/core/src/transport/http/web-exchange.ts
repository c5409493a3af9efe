import {
  type BodyProblem,
  type Headers,
  type HoldBytes,
  type HttpExchange,
  type HttpStream,
  MOST_UNREAD,
} from "./exchange.ts";

/** An exchange over Fetch's Request and Response: for Hono, Bun, Deno and serverless functions. */
export class WebExchange implements HttpExchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly response: Promise<Response>;
  readonly #request: Request;
  readonly #host: string;
  readonly #closing: ((isComplete: boolean) => void)[] = [];
  #answer: (response: Response) => void = () => undefined;

  constructor(request: Request) {
    const url = new URL(request.url);
    this.#request = request;
    this.#host = url.host;
    this.method = request.method;
    this.path = url.pathname;
    this.query = url.search.slice(1);
    this.response = new Promise((resolve) => (this.#answer = resolve));
    request.signal.addEventListener("abort", () => this.#close(false), { once: true });
  }

  header(name: string): string | undefined {
    // Some runtimes hide the Host header, but the URL always has the host.
    return this.#request.headers.get(name) ?? (name === "host" ? this.#host : undefined);
  }

  /** Unknown here: Fetch joins repeated lines. */
  repeats(): boolean {
    return false;
  }

  readBody(hold: HoldBytes, done: (body: string | BodyProblem) => void): void {
    const finish = async (): Promise<void> => {
      // Throws if the body has already been read.
      const body = await readText(this.#request, hold).catch((): BodyProblem => ({ problem: "aborted" }));
      done(body);
    };
    void finish();
  }

  reply(status: number, headers: Headers, body?: string): void {
    this.#answer(new Response(body ?? null, { status, headers }));
    queueMicrotask(() => this.#close(true));
  }

  openStream(headers: Headers): HttpStream {
    const encoder = new TextEncoder();
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    let isOpen = true;
    const close = (isComplete: boolean): void => {
      isOpen = false;
      this.#close(isComplete);
    };
    const body = new ReadableStream<Uint8Array>(
      {
        start: (own) => void (controller = own),
        cancel: () => close(false),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MOST_UNREAD }),
    );
    const { connection: _, ...allowed } = headers;
    this.#answer(new Response(body, { status: 200, headers: allowed }));
    return {
      write(text) {
        if (!isOpen || !controller) return false;
        if ((controller.desiredSize ?? 0) <= 0) {
          controller.error(new Error("The reader is too slow"));
          close(false);
          return false;
        }
        controller.enqueue(encoder.encode(text));
        return true;
      },
      get unread() {
        return isOpen ? MOST_UNREAD - (controller?.desiredSize ?? MOST_UNREAD) : 0;
      },
      end() {
        if (!isOpen) return;
        controller?.close();
        close(true);
      },
    };
  }

  onClose(listener: (isComplete: boolean) => void): void {
    // The client may have disconnected before the listener was added.
    if (this.#request.signal.aborted) queueMicrotask(() => listener(false));
    else this.#closing.push(listener);
  }

  #close(isComplete: boolean): void {
    for (const listener of this.#closing.splice(0)) listener(isComplete);
  }
}

const ABORTED = { done: undefined, value: undefined } as const;

async function readText(request: Request, hold: HoldBytes): Promise<string | BodyProblem> {
  if (!request.body) return "";
  const reader = request.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  for (;;) {
    const { done, value } = await reader.read().catch(() => ABORTED);
    if (done === undefined) return { problem: "aborted" };
    const problem = value && hold(value.byteLength);
    if (problem !== undefined) {
      await reader.cancel();
      return { problem };
    }
    try {
      text += decoder.decode(value, { stream: !done });
    } catch {
      return { problem: "not-utf8" };
    }
    if (done) return text;
  }
}
