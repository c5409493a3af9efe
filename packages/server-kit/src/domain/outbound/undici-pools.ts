import { Socket } from "node:net";
import type { buildConnector as Connector, Client as ClientTypes, Dispatcher } from "undici";
import Client from "undici/lib/dispatcher/client.js";
import Pool from "undici/lib/dispatcher/pool.js";

import { codeOf } from "../errors/code-of.ts";
import { Fault } from "../errors/fault.ts";

interface Target extends Connector.Options {
  /** The signal of the request that needs the connection. */
  readonly signal?: AbortSignal | undefined;
}

/** Like undici's connectors, which return the connecting socket, if any. */
export type Connect = (target: Target, callback: Connector.Callback) => unknown;

/** Connections to one origin. Aborting a request also aborts its connecting, except for TLS handshakes within a tunnel. */
export function createPool(origin: string | URL, options: object, connect: Connect): Dispatcher {
  return new Pool(origin, {
    ...options,
    factory: (to, limits) => new SignallingClient(to, limits, heedSignal(connect)),
  });
}

/** Connections to a proxy itself. */
export const createProxyPool = (proxy: string | URL, options: object): Dispatcher =>
  createPool(proxy, options, withFaults(connectOf(options), toUnreachable));

/** Connections through a proxy. */
export const createTunnelPool = (origin: string | URL, options: object): Dispatcher =>
  createPool(origin, options, withFaults(connectOf(options), toUntunnelled));

// Undici types these options only as `object`.
const connectOf = (options: object): Connect => (options as { readonly connect: Connect }).connect;

/** Passes the signal of the current request to `connect`: a client has one request at a time. */
class SignallingClient extends Client {
  #signal: AbortSignal | undefined;

  constructor(origin: URL, options: ClientTypes.Options, connect: Connect) {
    super(origin, {
      ...options,
      connect: (target, callback) => connect({ ...target, signal: this.#signal }, callback),
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.#signal = "signal" in options && options.signal instanceof AbortSignal ? options.signal : undefined;
    return super.dispatch(options, handler);
  }
}

/** Undici itself observes the signal only once connected; until then the request would keep waiting. */
function heedSignal(connect: Connect): Connect {
  return (target, callback) => {
    const { signal } = target;
    // Undici reconnects after an aborted request. Its callback must not be called synchronously.
    if (signal?.aborted === true) return queueMicrotask(() => callback(signal.reason as Error, null));
    let isOver = false;
    const finish: Connector.Callback = (...[error, socket]) => {
      if (isOver) return socket?.destroy();
      isOver = true;
      signal?.removeEventListener("abort", giveUp);
      if (error !== null) return callback(error, null);
      socket.on("error", renameReset);
      return callback(null, socket);
    };
    const giveUp = (): void => {
      if (connecting instanceof Socket) connecting.destroy();
      finish(signal?.reason as Error, null);
    };
    signal?.addEventListener("abort", giveUp);
    const connecting = connect(target, finish);
  };
}

/** On ECONNRESET, undici would treat a truncated response without a length as complete. */
function renameReset(error: NodeJS.ErrnoException): void {
  if (error.code === "ECONNRESET") error.code = "ECONNABORTED";
}

function withFaults(connect: Connect, toFault: (error: Error, host: string) => Error): Connect {
  return (target, callback) =>
    connect(target, (...[error, socket]) => {
      if (error === null) callback(null, socket);
      else callback(toFault(error, target.host ?? target.hostname), null);
    });
}

const toUnreachable = (cause: Error): Fault =>
  new Fault("unavailable", "The proxy cannot be reached", {
    hint: "Only the server's operator can change which proxy is used.",
    details: { proxy: "unreachable" },
    cause,
  });

/** On these codes, undici would reconnect at once, endlessly. */
const toUntunnelled = (error: Error, host: string): Error =>
  /^UND_ERR_(SOCKET|INFO)$/.test(String(codeOf(error)))
    ? new Fault("unavailable", `The proxy did not connect to ${host}`, { cause: error })
    : error;
