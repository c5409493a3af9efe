import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer((incoming, outgoing) => {
  const isQuota = incoming.url === "/rate_limit";
  outgoing.writeHead(isQuota ? 200 : 404, { "content-type": "application/json", "x-ratelimit-limit": "60" });
  outgoing.end(isQuota ? '{"resources":{}}' : '{"message":"Not Found"}');
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
server.unref();

/** A GitHub that is there, takes any token, and has nothing. One for the process; it keeps nobody from ending. */
export const QUIET_API: string = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
