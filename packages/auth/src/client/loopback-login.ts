import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import type { Login } from "./options.ts";

export interface LoopbackLogin extends Login {
  close(): void;
}

export interface LoopbackLoginOptions {
  /** Shows a person the address to log in at: by opening a browser, or in words. */
  readonly show: (address: URL) => void;
  /** 0, or left out: any that is free. A fixed one spares registering again. */
  readonly port?: number;
}

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  connection: "close",
};

/** A login that comes back to this machine (RFC 8252, section 7.3). Nothing else in the network can reach the address. */
export async function openLoopbackLogin({ show, port = 0 }: LoopbackLoginOptions): Promise<LoopbackLogin> {
  const expected = new Map<string, (back: URL) => void>();
  const server = createServer({ maxHeaderSize: 16_384, requestTimeout: 10_000 }, (request, response) => {
    receive(request, response, redirectUrl, expected);
  });
  await listen(server, port);
  // Only a login keeps the program running.
  server.unref();
  const redirectUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  return {
    redirectUrl,
    async visit(address, signal) {
      const state = address.searchParams.get("state") ?? "";
      let stop: () => void = () => undefined;
      server.ref();
      try {
        return await new Promise<URL>((resolve, reject) => {
          stop = () => reject(signal.reason as Error);
          signal.throwIfAborted();
          signal.addEventListener("abort", stop);
          expected.set(state, resolve);
          show(address);
        });
      } finally {
        signal.removeEventListener("abort", stop);
        expected.delete(state);
        server.unref();
      }
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** Any page can send a browser here: without the state of a login under way, it changes nothing, and is told nothing. */
function receive(
  { method, url = "", headers }: IncomingMessage,
  response: ServerResponse,
  redirectUrl: string,
  expected: ReadonlyMap<string, (back: URL) => void>,
): void {
  const here = new URL(redirectUrl);
  const back = URL.canParse(url, redirectUrl) ? new URL(url, redirectUrl) : undefined;
  const isHere =
    back?.origin === here.origin && back.pathname === here.pathname && headers.host === here.host;
  const resolve = isHere && method === "GET" ? expected.get(back.searchParams.get("state") ?? "") : undefined;
  if (!resolve || !back) {
    response.writeHead(404, HEADERS).end("<p>There is no login under way here.</p>");
    return;
  }
  const words = back.searchParams.has("error") ? "The login did not succeed." : "You are logged in.";
  response
    .writeHead(200, HEADERS)
    .end(`<p>${words} You can close this page and go back to your program.</p>`);
  resolve(back);
}
