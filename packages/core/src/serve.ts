import { toErrorObject } from "./jsonrpc/error.ts";
import type { Route } from "./connection/reply-channel.ts";
import type { Transport } from "./transport/transport.ts";

/** One client that is being served. */
export interface ServedConnection {
  /** True while no request is being worked on. */
  readonly isIdle: boolean;
  /** Resolves when the peer is gone or `close` was called. */
  readonly closed: Promise<void>;
  /** Aborts requests in flight, ends listen streams, and waits until everything sent has been written. */
  close(): Promise<void>;
}

/** The server's end of one connection. */
export interface Serving {
  readonly connection: { readonly isIdle: boolean };
  receive(value: unknown, route: Route): void;
}

/** What can be served: a server, or one that is loaded later. */
export interface Servable<E extends Serving = Serving> {
  open(): E;
  close(endpoint: E, reason: Error): void;
  dispose(): Promise<void>;
  readonly failed?: Promise<never>;
}

/** How a connection ends. */
export interface ServeOptions {
  /** How long requests in flight may still finish after the client has disconnected; by default not at all. */
  readonly graceMs?: number;
}

/** Serves one client over one transport. A server may serve as many as it likes. */
export function serve<E extends Serving>(
  server: Servable<E>,
  transport: Transport,
  options: ServeOptions = {},
): ServedConnection {
  const endpoint = server.open();
  const route = { channel: transport };
  let resolveClosed: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => (resolveClosed = resolve));
  transport.start({
    message: (value) => endpoint.receive(value, route),
    unreadable: (error) => transport.send({ jsonrpc: "2.0", error: toErrorObject(error) }),
    closed: () => {
      resolveClosed();
      // A client that is gone must not leave watchers and work behind (lifecycle#shutdown).
      const leave = (): void => server.close(endpoint, new Error("The client is gone"));
      if (options.graceMs === undefined) leave();
      else setTimeout(leave, options.graceMs);
    },
  });
  return {
    get isIdle() {
      return endpoint.connection.isIdle;
    },
    closed,
    async close() {
      server.close(endpoint, new Error("The server is shutting down"));
      // Listen streams get their final result later in this turn.
      await new Promise((resolve) => setTimeout(resolve));
      resolveClosed();
      await transport.close();
    },
  };
}
