import type { JSONRPCMessage, JSONRPCRequest } from "../../src/jsonrpc/message.ts";
import { createMemoryPair } from "../../src/testing.ts";
import type { Transport } from "../../src/transport/transport.ts";

export const OPENED = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  serverInfo: { name: "s", version: "1" },
};

/** The line to a server that does as it likes with each request. Pin the client to 2025-06-18. */
export function openRawServer(
  take: (request: JSONRPCRequest, say: (message: JSONRPCMessage | readonly JSONRPCMessage[]) => void) => void,
): Transport {
  const [near, far] = createMemoryPair();
  far.start({
    message: (value) => {
      if ("id" in (value as JSONRPCMessage)) take(value as JSONRPCRequest, (message) => far.send(message));
    },
    unreadable: () => undefined,
    closed: () => undefined,
  });
  return near;
}
