import { isMainThread, Worker, workerData } from "node:worker_threads";
import type { Channel } from "./domain/worker/task-stream.ts";
import { setBusy, WATCH_STATE_BYTES, watchMemory, type WatchState } from "./domain/worker/memory-watch.ts";
import { type RunningNode, toLoadFault, whyUnfit } from "./domain/native-module.ts";
import type { ToWorker } from "./domain/messages.ts";
import type { OpenOptions } from "./domain/protocol.ts";

interface MemoryWatch {
  readonly state: WatchState;
  readonly limit: number;
  readonly parent: number;
}

const NODE: RunningNode = {
  version: process.version.slice(1),
  abi: process.versions.modules,
  program: process.execPath,
};

/** The parent sends nothing else. */
const toMessages = (received: unknown): readonly ToWorker[] => received as readonly ToWorker[];

const channel: Channel = {
  send: (messages) =>
    new Promise((resolve, reject) => {
      process.send?.(messages, undefined, {}, (error) => (error ? reject(error) : resolve()));
    }),
  onMessage: (listener) => {
    process.on("message", (received) => {
      for (const message of toMessages(received)) listener(message);
    });
  },
};

async function start(): Promise<void> {
  // Without its parent, the worker has nothing to do.
  process.on("disconnect", () => process.exit(0));
  const first = new Promise<OpenOptions>((resolve) => {
    process.once("message", (received) => {
      const [message] = toMessages(received);
      if (message && "open" in message) resolve(message.open);
    });
  });
  const { Service, loadSqlite } = await import("./domain/worker/service.ts");
  const unfit = whyUnfit(NODE, new URL(import.meta.url));
  if (!unfit) loadSqlite();
  const options = await first;
  const state = new Int32Array(new SharedArrayBuffer(WATCH_STATE_BYTES));
  const service = new Service(channel, options, {
    busy: (isBusy) => setBusy(state, isBusy),
    unfit,
    toLoadFault: (thrown) => toLoadFault(thrown, NODE, new URL(import.meta.url)),
  });
  // An exit with open connections would leave the log of a database in WAL mode behind.
  process.on("exit", () => service.close());
  channel.onMessage((message) => ("close" in message ? process.exit(0) : service.receive(message)));
  await channel.send([{ ready: true }]);
  const watched: MemoryWatch = { state, limit: options.memoryBytes, parent: process.ppid };
  new Worker(new URL(import.meta.url), { workerData: watched, stdin: false }).unref();
  service.warm();
}

function watch({ state, limit, parent }: MemoryWatch): never {
  return watchMemory(state, limit, {
    parent,
    parentNow: () => process.ppid,
    residentBytes: () => process.memoryUsage.rss(),
    end: () => void process.kill(process.pid, "SIGKILL"),
  });
}

if (isMainThread) void start();
else watch(workerData as MemoryWatch);
