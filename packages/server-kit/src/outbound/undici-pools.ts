import { Socket } from "node:net";
import type { buildConnector as Connector, Client as ClientTypes, Dispatcher } from "undici";
import Client from "undici/lib/dispatcher/client.js";
import Pool from "undici/lib/dispatcher/pool.js";

import { codeOf } from "../errors/code-of.ts";
import { Fault } from "../errors/fault.ts";

interface Target extends Connector.Options {
  /** Of the request that needs the connection. */
  readonly signal?: AbortSignal | undefined;
}

/** As those of undici, which return the socket that connects, if they have one. */
export type Connect = (target: Target, callback: Connector.Callback) => unknown;

/** Connections to one origin, which are given up with the request that needs them, but for handshakes within a tunnel. */
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

// Undici says no more of them than that they are an object.
const connectOf = (options: object): Connect => (options as { readonly connect: Connect }).connect;

/** A client has one request at a time, and connects for that. */
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

/** Undici itself hears a signal only once it is connected, and keeps the request waiting until then. */
function heedSignal(connect: Connect): Connect {
  return (target, callback) => {
    const { signal } = target;
    // Undici connects again after a request that was given up. It expects no answer before it has asked.
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

/** With its real code, undici would take what has come of an answer without a length for all of it. */
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

/** With these codes, undici would connect again at once, and without end. */
const toUntunnelled = (error: Error, host: string): Error =>
  /^UND_ERR_(SOCKET|INFO)$/.test(String(codeOf(error)))
    ? new Fault("unavailable", `The proxy did not connect to ${host}`, { cause: error })
    : error;
