import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { until } from "@suite/check/wires";

import { freePort } from "../support/free-port.ts";

export interface RedisServer {
  readonly url: string;
  /** Ends it without a word, as a crash would. */
  kill(): Promise<void>;
  /** With what it had on disk. */
  start(): Promise<void>;
  /** It does nothing and says nothing, while its connections stay as they are. */
  hang(): void;
  wake(): void;
  stop(): Promise<void>;
}

interface Certificate {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** A real one on a free port, with its data in a folder of its own. With a certificate it speaks TLS only. */
export async function startRedis(
  args: readonly string[] = [],
  certificate?: Certificate,
): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), "suite-redis-"));
  const port = await freePort();
  let child: ReturnType<typeof spawn> | undefined;
  const start = async (): Promise<void> => {
    const own = [...toListening(port, certificate), "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
    const started = spawn(
      "redis-server",
      [...own, "--appendonly", "yes", "--appendfsync", "always", ...args],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    child = started;
    let said = "";
    const isReady = (): boolean => said.includes("Ready to accept connections");
    started.stdout.on("data", (part) => (said = isReady() ? said : said + String(part)));
    await until(() => isReady() || started.exitCode !== null, "Redis");
    if (!isReady()) throw new Error(`Redis ended:\n${said}`);
  };
  const kill = async (): Promise<void> => {
    if (child?.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  await start();
  return {
    url: certificate ? `rediss://localhost:${port}` : `redis://127.0.0.1:${port}`,
    kill,
    start,
    hang: () => void child?.kill("SIGSTOP"),
    wake: () => void child?.kill("SIGCONT"),
    async stop() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function toListening(port: number, certificate: Certificate | undefined): readonly string[] {
  if (!certificate) return ["--port", String(port)];
  const { ca, cert, key } = certificate;
  const files = ["--tls-ca-cert-file", ca, "--tls-cert-file", cert, "--tls-key-file", key];
  return ["--port", "0", "--tls-port", String(port), "--tls-auth-clients", "no", ...files];
}
