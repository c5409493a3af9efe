import { onTestFinished } from "vitest";

import { Replica } from "../src/replica.ts";
import { createServer, defineTool, type Middleware, type Server } from "@suite/core";
import { type Authorizer, createFetchHandler, type FetchHandler } from "@suite/core/http";
import type { CallerLimits } from "@suite/core/replicas";
import { MemoryStore } from "../src/memory-store.ts";
import type { Store } from "../src/store.ts";
import { toPost } from "./support.ts";

const VERSION = "2025-11-25";
export const URIS: readonly string[] = ["test://a", "test://b"];

/** Everybody is who they say. */
export const credulous: Authorizer = {
  authorize: async (exchange) => ({ principal: exchange.header("authorization") ?? "", scopes: ["admin"] }),
  refuseScope: () => ({ status: 403, headers: {}, message: "no" }),
  serve: () => false,
};

export interface One {
  readonly server: Server;
  readonly handle: FetchHandler;
  /** Of tools that wait. */
  readonly gates: (() => void)[];
}

/** One of those that share a store; ended after the test. */
export function startReplica(
  store: Store,
  middleware: readonly Middleware[] = [],
  perCaller: CallerLimits = {},
): One {
  const gates: (() => void)[] = [];
  const opened = (): Promise<void> => new Promise((resolve) => void gates.push(resolve));
  const server = createServer({
    name: "t",
    version: "1",
    replica: new Replica(store),
    middleware,
    templates: [{ uriTemplate: "many://{name}", name: "many", subscribe: true, read: () => "x" }],
    resources: URIS.map((uri) => ({ uri, name: uri, subscribe: true, read: () => "x" })),
    tools: [
      defineTool({ name: "plain", description: "Answers.", run: () => "plain" }),
      defineTool({
        name: "slow",
        description: "Reports and waits.",
        async run(_input, { progress }) {
          progress(1);
          await opened();
          progress(2);
          return "slow";
        },
      }),
      defineTool({
        name: "asking",
        description: "Asks.",
        async run(_input, { elicit }) {
          const schema = { type: "object", properties: { name: { type: "string" } } } as const;
          const { action } = await elicit({ message: "Who?", schema });
          return action;
        },
      }),
      defineTool({
        name: "stuck",
        description: "Waits to be cancelled.",
        run: (_input, { signal, progress }) => {
          progress(1);
          return new Promise<string>((resolve) => {
            signal.addEventListener("abort", () => {
              gates.push(() => undefined);
              resolve("aborted");
            });
          });
        },
      }),
    ],
  });
  const handle = createFetchHandler(server, { authorizer: credulous, perCaller });
  onTestFinished(async () => {
    await handle.close(0);
    await server.dispose();
  });
  return { server, gates, handle };
}

export const startReplicas = (): [One, One] => {
  const store = new MemoryStore();
  return [startReplica(store), startReplica(store)];
};

/** Two that share a store, and a session that was opened at the first. */
export async function openAtOne(): Promise<{ one: One; other: One; client: Moving }> {
  const [one, other] = startReplicas();
  return { one, other, client: await Moving.open(one) };
}

/** A client's session; every message says which replica it goes to. */
export class Moving {
  /** Of the answer to `initialize`. */
  readonly status: number;
  readonly #headers: Record<string, string>;

  private constructor(status: number, headers: Record<string, string>) {
    this.status = status;
    this.#headers = headers;
  }

  static async open({ handle }: One, authorization = "alice"): Promise<Moving> {
    const params = {
      protocolVersion: VERSION,
      capabilities: { elicitation: {}, roots: { listChanged: true } },
      clientInfo: { name: "t", version: "1" },
    };
    const init = toPost({ jsonrpc: "2.0", id: 0, method: "initialize", params }, { authorization });
    const response = await handle(new Request("http://localhost/mcp", init));
    const id = response.headers.get("mcp-session-id") ?? "";
    return new Moving(response.status, {
      authorization,
      "mcp-session-id": id,
      "mcp-protocol-version": VERSION,
    });
  }

  get id(): string {
    return this.#headers["mcp-session-id"] ?? "";
  }

  as(authorization: string): Moving {
    return new Moving(this.status, { ...this.#headers, authorization });
  }

  post(to: One, message: object): Promise<Response> {
    return this.postText(to, JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  postText({ handle }: One, body: string): Promise<Response> {
    return handle(new Request("http://localhost/mcp", toPost(body, this.#headers)));
  }

  request(to: One, method: string, params: object = {}, id: string | number = 1): Promise<Response> {
    return this.post(to, { id, method, params });
  }

  call(to: One, name: string, id: string | number = 1): Promise<Response> {
    return this.request(to, "tools/call", { name, arguments: {}, _meta: { progressToken: "p" } }, id);
  }

  async listen({ handle }: One, lastEventId?: string, signal?: AbortSignal): Promise<Events> {
    const resume = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    const headers = { ...this.#headers, accept: "text/event-stream", ...resume };
    const init = signal ? { headers, signal } : { headers };
    return new Events(await handle(new Request("http://localhost/mcp", init)));
  }

  delete({ handle }: One): Promise<Response> {
    return handle(new Request("http://localhost/mcp", { method: "DELETE", headers: this.#headers }));
  }
}

/** What comes over one connection. */
export class Events {
  readonly status: number;
  readonly all: { id: string | undefined; data: { [member: string]: unknown } }[] = [];
  ended = false;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(response: Response) {
    this.status = response.status;
    this.#reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
    void this.#read();
  }

  get lastId(): string | undefined {
    return this.all.findLast(({ id }) => id !== undefined)?.id;
  }

  /** Without those that only say where to resume. */
  get messages(): { [member: string]: unknown }[] {
    return this.all.map(({ data }) => data).filter((data) => "jsonrpc" in data);
  }

  get uris(): unknown[] {
    return this.messages.map(({ params }) => (params as { uri?: unknown } | undefined)?.uri);
  }

  async cut(): Promise<void> {
    await this.#reader?.cancel();
  }

  async #read(): Promise<void> {
    let text = "";
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = (await this.#reader?.read()) ?? { done: true, value: undefined };
      if (done) break;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const id = /^id: (.*)$/m.exec(block)?.[1];
        const data = /^data: (.*)$/m.exec(block)?.[1] ?? "";
        this.all.push({ id, data: (data === "" ? {} : JSON.parse(data)) as { [member: string]: unknown } });
      }
    }
    this.ended = true;
  }
}

export const resultOf = async (response: Response): Promise<unknown> =>
  ((await response.json()) as { result?: unknown }).result;
