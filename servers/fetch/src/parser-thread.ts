import { parentPort } from "node:worker_threads";

import { type Jobs, runJob } from "./domain/parsing/jobs.ts";

/* oxlint-disable unicorn/require-post-message-target-origin -- a thread is not a window */

/** Parses in a separate thread, which can be stopped at any time and has its own memory limit. */
parentPort?.on("message", ({ name, given }: { name: keyof Jobs; given: Jobs[keyof Jobs]["given"] }) => {
  void (async () => {
    try {
      parentPort?.postMessage({ answer: await runJob(name, given) });
    } catch (thrown) {
      parentPort?.postMessage({ failure: thrown instanceof Error ? thrown.message : String(thrown) });
    }
  })();
});
