// The server under load: an echo, a tool that talks while it works, and one that says how much memory is really in use. With
// the URL of a Redis it is one of several replicas.
import { createServer, defineResource, defineTool } from "@suite/core";
import { serveHttp } from "@suite/core/http";
import { openRedisStore, Replica } from "@suite/replicas";

const text = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;

const echo = defineTool({
  name: "echo",
  description: "Returns the text.",
  input: text,
  run: (input) => input.text,
});

const chatter = defineTool({
  name: "chatter",
  description: "Sends large log messages until the client is gone or a limit is reached.",
  async run(_input, { log, signal }) {
    const line = "x".repeat(64 * 1024);
    for (let count = 0; count < 400 && !signal.aborted; count += 1) {
      log.warning(line);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return "enough";
  },
});

let begun = 0;

const slow = defineTool({
  name: "slow",
  description: "Answers after a moment, with a long text.",
  async run() {
    begun += 1;
    await new Promise((resolve) => setTimeout(resolve, 300));
    return "whole ".repeat(20_000);
  },
});

const slowCalls = defineTool({
  name: "slow_calls",
  description: "Returns how many slow calls have begun.",
  run: () => String(begun),
});

const memory = defineTool({
  name: "memory",
  description: "Collects garbage and returns the bytes in use.",
  async run() {
    for (let pass = 0; pass < 3; pass += 1) {
      globalThis.gc?.();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return String(process.memoryUsage().heapUsed);
  },
});

const watched = defineResource({
  uri: "load://watched",
  name: "watched",
  subscribe: true,
  read: () => "watched",
});

const touch = defineTool({
  name: "touch",
  description: "Says that what is watched has changed.",
  run(_input, { notify }) {
    notify.resourceUpdated(watched.uri);
    return "touched";
  },
});

const [store] = process.argv.slice(2);
const server = createServer({
  name: "load",
  version: "1.0.0",
  tools: [echo, chatter, slow, slowCalls, memory, touch],
  resources: [watched],
  ...(store !== undefined && { replica: new Replica(await openRedisStore({ url: store, prefix: "load:" })) }),
});
const serving = await serveHttp(server);
process.stdout.write(`${serving.port}\n`);
process.once("SIGTERM", () => {
  // Whatever kept it from going would keep it that long.
  void serving.close(600_000).then(() => process.exit(0));
});
