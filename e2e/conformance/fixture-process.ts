import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface FixtureProcess {
  readonly url: string;
  /** Ends it without a word, as a crash would. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a built fixture on a free port, as one of several where they share a store, and waits until it listens. */
export async function startFixture(main: URL, store?: string): Promise<FixtureProcess> {
  const args = store === undefined ? [] : ["0", store];
  const child = spawn(process.execPath, [fileURLToPath(main), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const [url] = (await Promise.race([
    once(createInterface(child.stdout), "line"),
    exited.then(() => Promise.reject(new Error("The fixture ended before it listened"))),
  ])) as [string];
  return {
    url,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
