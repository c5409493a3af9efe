import { createServer, request as ask } from "node:http";
import type { AddressInfo } from "node:net";

import { undoAfterTest } from "./afterwards.ts";

export interface Proxy {
  readonly url: string;
  /** What it was asked for: URLs, and hosts to open a tunnel to. */
  readonly asked: readonly string[];
}

/** Passes on what is plain, and refuses to open tunnels. */
export async function startProxy(): Promise<Proxy> {
  const asked: string[] = [];
  const proxy = createServer((incoming, outgoing) => {
    const { url = "", method, headers } = incoming;
    asked.push(url);
    const passed = ask(url, { method, headers }, (answer) => {
      answer.pipe(outgoing.writeHead(answer.statusCode ?? 502, answer.headers));
    });
    incoming.pipe(passed);
  });
  proxy.on("connect", ({ url = "" }, socket) => {
    asked.push(url);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  undoAfterTest(() => {
    const closed = new Promise((resolve) => proxy.close(resolve));
    proxy.closeAllConnections();
    return closed;
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked };
}
