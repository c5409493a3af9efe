import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { createSdkV2EchoServer } from "../../echo/sdk-v2.ts";

// A server per request, as its documentation has it: the modern era keeps nothing between two.
const handler = toNodeHandler(createMcpHandler(createSdkV2EchoServer));
// Its types leave no room for exactOptionalPropertyTypes.
const serve = handler as (request: IncomingMessage, response: ServerResponse) => unknown;
const server = createServer((request, response) => void serve(request, response));
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
