import { serveHttp } from "@suite/core/http";
import { openRedisStore, Replica } from "@suite/replicas";
import { createEchoServer } from "../../echo/ours.ts";

const [url] = process.argv.slice(2);
const replica = url === undefined ? undefined : new Replica(await openRedisStore({ url, prefix: "bench:" }));
const { port } = await serveHttp(createEchoServer(replica));
process.stdout.write(`${port}\n`);
// Whoever writes anything is told the processor's time so far.
process.stdin.on("data", () => {
  const { user, system } = process.cpuUsage();
  process.stdout.write(`${user + system}\n`);
});
