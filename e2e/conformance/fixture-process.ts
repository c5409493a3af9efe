import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface FixtureProcess {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a built fixture on a free port, and waits until it listens. */
export async function startFixture(main: URL): Promise<FixtureProcess> {
  const child = spawn(process.execPath, [fileURLToPath(main)], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const [url] = (await Promise.race([
    once(createInterface(child.stdout), "line"),
    exited.then(() => Promise.reject(new Error("The fixture ended before it listened"))),
  ])) as [string];
  return {
    url,
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
