import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { freePort } from "./free-port.ts";

export interface RedisServer {
  readonly url: string;
  /** Ends it without a word, as a crash would. */
  kill(): Promise<void>;
  /** With what it had on disk. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A real one on a free port, with its data in a folder of its own. */
export async function startRedis(args: readonly string[] = []): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), "suite-redis-"));
  const port = await freePort();
  let child: ReturnType<typeof spawn> | undefined;
  const start = async (): Promise<void> => {
    const own = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
    child = spawn("redis-server", [...own, "--appendonly", "yes", "--appendfsync", "always", ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    for await (const part of child.stdout ?? []) {
      if (String(part).includes("Ready to accept connections")) break;
    }
    child.stdout?.resume();
  };
  const kill = async (): Promise<void> => {
    if (child?.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    start,
    async stop() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
