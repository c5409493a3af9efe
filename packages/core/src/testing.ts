/** For tests of servers: a client, or a raw connection with a transcript, in the same process. */
import { connect, type Client } from "./client/client.ts";
import type { ConnectOptions } from "./client/options.ts";
import { isObject, type JSONRPCMessage, type JSONRPCResponse, type Params } from "./jsonrpc/message.ts";
import { META_CLIENT_CAPABILITIES, META_CLIENT_INFO, META_PROTOCOL_VERSION } from "./model/meta.ts";
import { dialectOf } from "./revision/revisions.ts";
import { serve, type Servable, type Serving } from "./serve.ts";

import { createMemoryPair } from "./transport/memory.ts";
import type { Transport } from "./transport/transport.ts";

export { createMemoryPair } from "./transport/memory.ts";

/** A client that is connected to the server in memory. */
export function connectInMemory<E extends Serving>(
  server: Servable<E>,
  options?: ConnectOptions,
): Promise<Client> {
  const [near, far] = createMemoryPair();
  serve(server, far);
  return connect(near, options);
}

export interface LineOptions {
  /** Opens the line in this revision: with a handshake, or with `_meta` on every request. Nothing is sent without it. */
  readonly revision?: string;
  readonly capabilities?: Params;
}

/** A raw connection to a server in memory. */
export async function openLine<E extends Serving>(
  server: Servable<E>,
  options: LineOptions = {},
): Promise<Line> {
  const [near, far] = createMemoryPair();
  serve(server, far);
  const line = new Line(near, options);
  const { revision, capabilities = {} } = options;
  if (revision === undefined || dialectOf(revision)?.era === "modern") return line;
  await line.request("initialize", { protocolVersion: revision, capabilities, clientInfo: TESTER });
  line.say({ jsonrpc: "2.0", method: "notifications/initialized" });
  return line;
}

const TESTER = { name: "transcript", version: "1" };
/** How long `hear` waits: longer than a busy machine takes to answer. */
const PATIENCE_MS = 60_000;

/** Says and hears single messages, and remembers them all in order. */
export class Line {
  readonly #transport: Transport;
  readonly #options: LineOptions;
  readonly #heard: JSONRPCMessage[] = [];
  readonly #log: string[] = [];
  readonly #waiting = new Set<() => void>();
  #nextId = 1;

  constructor(transport: Transport, options: LineOptions) {
    this.#transport = transport;
    this.#options = options;
    transport.start({
      message: (value) => this.#hear(value as JSONRPCMessage),
      unreadable: (error) => this.#log.push(`← ${error.message}`),
      closed: () => this.#log.push("← (closed)"),
    });
  }

  /** Everything said (→) and heard (←), one message a line. */
  get transcript(): string {
    return this.#log.join("\n");
  }

  say(message: unknown): void {
    this.#log.push(`→ ${JSON.stringify(message)}`);
    this.#transport.send(message as JSONRPCMessage);
  }

  /** The oldest message that fits and was not returned yet; waits for it if necessary. */
  async hear(fits: (message: JSONRPCMessage) => boolean = () => true): Promise<JSONRPCMessage> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const index = this.#heard.findIndex(fits);
      const [found] = index === -1 ? [] : this.#heard.splice(index, 1);
      if (found) return found;
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`No matching message arrived in time:\n${this.transcript}`);
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          this.#waiting.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, left);
        this.#waiting.add(wake);
      });
    }
  }

  /** Sends a request with a new id, which it returns, and the revision's `_meta`. Does not wait for the answer. */
  begin(method: string, params: Params = {}): number {
    const id = this.#nextId++;
    this.say({ jsonrpc: "2.0", id, method, params: this.#withMeta(params) });
    return id;
  }

  /** Sends a request and returns the whole response. */
  async request(method: string, params?: Params): Promise<JSONRPCResponse> {
    const id = this.begin(method, params);
    const response = await this.hear(
      (message) => "id" in message && message.id === id && !("method" in message),
    );
    return response as JSONRPCResponse;
  }

  notify(method: string, params?: Params): void {
    this.say({ jsonrpc: "2.0", method, ...(params && { params }) });
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  #hear(message: JSONRPCMessage): void {
    this.#log.push(`← ${JSON.stringify(message)}`);
    this.#heard.push(message);
    for (const wake of this.#waiting) wake();
  }

  #withMeta(params: Params): Params {
    const { revision, capabilities = {} } = this.#options;
    if (revision === undefined || dialectOf(revision)?.era !== "modern") return params;
    const given = isObject(params["_meta"]) ? params["_meta"] : {};
    return {
      ...params,
      _meta: {
        [META_PROTOCOL_VERSION]: revision,
        [META_CLIENT_INFO]: TESTER,
        [META_CLIENT_CAPABILITIES]: capabilities,
        ...given,
      },
    };
  }
}

/** What tests need that not every platform has, and those that lack it. */
const LACKED_BY = {
  "/dev": ["win32"],
  "/dev/full": ["darwin", "win32"],
  "/dev/shm": ["darwin", "win32"],
  "/proc": ["darwin", "win32"],
  Linux: ["darwin", "win32"],
  "Linux or macOS": ["win32"],
  "a shell": ["win32"],
  "any character in names": ["win32"],
  "arguments that are no text": ["win32"],
  "exact errors": ["win32"],
  "file modes": ["win32"],
  "named pipes": ["win32"],
  "names that are no text": ["darwin", "win32"],
  "names that differ by case": ["darwin", "win32"],
  "notices under every name of a file": ["win32"],
  "paths from /": ["win32"],
  "renaming what is open": ["win32"],
  prlimit: ["darwin", "win32"],
  setsid: ["darwin", "win32"],
  signals: ["win32"],
  "small buffers of sockets": ["win32"],
  "sockets in folders": ["win32"],
  "symbolic links": ["win32"],
} as const;

type Add = (name: string, ...rest: unknown[]) => unknown;

/** Vitest's `it` or `describe` for what not every platform has: where one is lacking, tests are skipped, and their names say why. */
export function needs<Block extends object>(
  block: Block,
  ...needed: readonly (keyof typeof LACKED_BY)[]
): Block {
  const lacking = needed.filter((need) => (LACKED_BY[need] as readonly string[]).includes(process.platform));
  if (lacking.length === 0) return block;
  const { skip } = block as unknown as { skip: Add & { each: (cases: unknown) => Add } };
  const named =
    (add: Add): Add =>
    (name, ...rest) =>
      add(`${name} (needs ${lacking.join(", ")})`, ...rest);
  const each = (cases: unknown): Add => named(skip.each(cases));
  return Object.assign(named(skip), { each }) as unknown as Block;
}
