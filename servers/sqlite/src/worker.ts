import { writeSync } from "node:fs";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { type FromWorker, OUT_OF_MEMORY_MARK, type ToWorker } from "./domain/protocol/messages.ts";
import { type RunningNode, toLoadFault, whyUnfit } from "./domain/native-module.ts";
import type { OpenOptions } from "./domain/protocol/statements.ts";

const NODE: RunningNode = {
  version: process.version.slice(1),
  abi: process.versions.modules,
  program: process.execPath,
};

/** The parent sends nothing else. */
const toMessages = (received: unknown): readonly ToWorker[] => received as readonly ToWorker[];

const send = (message: FromWorker): Promise<void> =>
  new Promise((resolve, reject) => {
    process.send?.([message], undefined, {}, (error) => (error ? reject(error) : resolve()));
  });

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
  const service = new Service(options, {
    send,
    busy: (isBusy) => setBusy(state, isBusy),
    unfit,
    toLoadFault: (thrown) => toLoadFault(thrown, NODE, new URL(import.meta.url)),
  });
  // An exit with open connections would leave the log of a database in WAL mode behind.
  process.on("exit", () => service.close());
  process.on("message", (received) => {
    for (const message of toMessages(received)) {
      if ("close" in message) process.exit(0);
      service.receive(message);
    }
  });
  await send({ ready: true });
  const watched: MemoryWatch = { state, limit: options.memoryBytes, parent: process.ppid };
  new Worker(new URL(import.meta.url), { workerData: watched, stdin: false }).unref();
  service.warm();
}

/** Memory that both threads share: whether a request runs, whether the watch sleeps, and a constant 0. */
const [BUSY, ASLEEP, NEVER] = [0, 1, 2];
const WATCH_STATE_BYTES = 12;

const POLL_MS = 10;
/** A second without work. */
const QUIET_POLLS = 100;

interface MemoryWatch {
  readonly state: Int32Array<SharedArrayBuffer>;
  readonly limit: number;
  readonly parent: number;
}

/** Called by the working thread. Wakes the watch only if it sleeps: waking it for each statement would slow them down. */
function setBusy(state: MemoryWatch["state"], isBusy: boolean): void {
  Atomics.store(state, BUSY, isBusy ? 1 : 0);
  if (isBusy && Atomics.compareExchange(state, ASLEEP, 1, 0) === 1) Atomics.notify(state, ASLEEP);
}

/**
 * Runs forever, in its own thread. SQLite as built by better-sqlite3 does not count its memory, and a running statement
 * blocks its thread, so this thread polls the memory. And the parent: without it, the statement would run on for no caller
 * and hold its locks.
 */
function watchMemory({ state, limit, parent }: MemoryWatch): never {
  const isAlone = process.platform === "win32" ? () => !exists(parent) : () => process.ppid !== parent;
  for (let quiet = 0; ;) {
    if (quiet >= QUIET_POLLS) {
      sleep(state);
      quiet = 0;
    }
    Atomics.wait(state, NEVER, 0, POLL_MS);
    quiet = Atomics.load(state, BUSY) === 1 ? 0 : quiet + 1;
    const isTooLarge = quiet === 0 && process.memoryUsage.rss() > limit;
    if (isTooLarge) writeSync(2, `${OUT_OF_MEMORY_MARK}\n`);
    if (isTooLarge || (quiet === 0 && isAlone())) process.kill(process.pid, "SIGKILL");
  }
}

/** On Windows, a process keeps the id of its parent when that is gone. */
function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function sleep(state: MemoryWatch["state"]): void {
  Atomics.store(state, ASLEEP, 1);
  // Work may have begun just before that was seen.
  if (Atomics.load(state, BUSY) === 0) Atomics.wait(state, ASLEEP, 1);
  Atomics.store(state, ASLEEP, 0);
}

if (isMainThread) void start();
else watchMemory(workerData as MemoryWatch);
