import { type HttpCall, HttpWire, isOf } from "@suite/check/wires";

const UPDATED = isOf("notifications/resources/updated");
const ACKNOWLEDGED = isOf("notifications/subscriptions/acknowledged");
const PAUSE_MS = 50;

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

const urisIn = ({ messages }: HttpCall): readonly string[] =>
  messages.filter(UPDATED).map(({ params }) => String(params?.["uri"]));

/** Keeps a stream open through nginx, and opens another whenever it ends. */
abstract class Listener {
  readonly connections: HttpCall[] = [];
  #isOver = false;
  #done: Promise<void> | undefined;

  /** Resolves once it listens. */
  async start(): Promise<void> {
    this.connections.push(await this.open());
    this.#done = this.#keepOpen();
  }

  /** In the order in which it heard of them. */
  get heard(): readonly string[] {
    return this.connections.flatMap(urisIn);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.connections.at(-1)?.drop();
    await this.#done;
  }

  protected abstract open(): Promise<HttpCall>;

  async #keepOpen(): Promise<void> {
    for (;;) {
      await this.connections.at(-1)?.ended;
      for (let next: HttpCall | undefined; !next;) {
        if (this.#isOver) return;
        await pause();
        next = await this.open().catch(() => undefined);
        if (next) this.connections.push(next);
      }
    }
  }
}

/** Resumes where it was, so that it hears everything. */
export class LegacyListener extends Listener {
  readonly #session: HttpWire;

  constructor(session: HttpWire) {
    super();
    this.#session = session;
  }

  static async subscribe(url: string, uris: readonly string[]): Promise<LegacyListener> {
    const session = await HttpWire.open(url, "2025-11-25");
    for (const uri of uris) await session.request("resources/subscribe", { uri });
    const listener = new LegacyListener(session);
    await listener.start();
    return listener;
  }

  /** Where each was told of is its place in the journal, the same at every replica. */
  get positions(): readonly number[] {
    const told = this.connections.flatMap(({ events }) => events.filter(({ data = "" }) => data !== ""));
    return told.map(({ id = "" }) => Number(id.split(".")[1]));
  }

  protected async open(): Promise<HttpCall> {
    const events = this.connections.flatMap((connection) => connection.events);
    const stream = await this.#session.get(events.findLast(({ id }) => id !== undefined)?.id);
    if (stream.status === 200) return stream;
    throw new Error(`${stream.status} ${stream.text}`);
  }
}

/** Begins anew each time: what comes next is all it can hear. */
export class ModernListener extends Listener {
  /** How many changes had begun when a connection was acknowledged: it is to hear of those that follow. */
  readonly begins: number[] = [];
  readonly #url: string;
  readonly #uris: readonly string[];
  readonly #begun: () => number;

  constructor(url: string, uris: readonly string[], begun: () => number) {
    super();
    this.#url = url;
    this.#uris = uris;
    this.#begun = begun;
  }

  /** The same, by connection. */
  get heardByConnection(): readonly (readonly string[])[] {
    return this.connections.map(urisIn);
  }

  protected async open(): Promise<HttpCall> {
    const wire = await HttpWire.open(this.#url, "2026-07-28");
    const notifications = { resourceSubscriptions: this.#uris };
    const stream = await wire.send("subscriptions/listen", { notifications });
    if (stream.headers["content-type"] !== "text/event-stream") throw new Error(stream.text);
    await Promise.race([
      stream.hear(ACKNOWLEDGED),
      stream.ended.then(() => Promise.reject(new Error("Ended"))),
    ]);
    this.begins.push(this.#begun());
    return stream;
  }
}
