import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { inRoot } from "../support/root.ts";
import { answering } from "./answering.ts";
import { freePort } from "../support/free-port.ts";

export interface Proxy {
  readonly url: string;
  stop(): Promise<void>;
}

/** A stock nginx in front of these ports, which sends each request where it likes. */
export async function startNginx(ports: readonly number[]): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), "suite-nginx-"));
  // Started by root, it has somebody else do its work, who keeps large bodies here.
  await chmod(folder, 0o711);
  const port = await freePort();
  const file = join(folder, "nginx.conf");
  await writeFile(file, await toConfiguration(folder, port, ports));
  const child: ChildProcess = spawn("nginx", ["-c", file, "-p", folder, "-e", join(folder, "error.log")], {
    stdio: "ignore",
  });
  const url = `http://127.0.0.1:${port}`;
  await answering(`${url}/healthz`);
  return {
    url: `${url}/mcp`,
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const TEMPORARY = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];

/** The configuration that is shipped, for other addresses and with its files in one folder. */
async function toConfiguration(folder: string, port: number, ports: readonly number[]): Promise<string> {
  const shipped = await readFile(inRoot("deploy/nginx.conf"), "utf8");
  const servers = /^(\s*)server replica-1:3000([^\n]*)\n(?:\s*server replica-\d:3000[^\n]*\n)*/m;
  return shipped
    .replace(servers, (_, indent: string, how: string) =>
      ports.map((one) => `${indent}server 127.0.0.1:${one}${how}\n`).join(""),
    )
    .replace("listen 8080;", `listen 127.0.0.1:${port};`)
    .replace("worker_processes auto;", `daemon off;\npid ${folder}/pid;\nworker_processes auto;`)
    .replace(
      "access_log off;",
      ["access_log off;", ...TEMPORARY.map((kind) => `${kind}_temp_path ${folder}/${kind};`)].join("\n    "),
    );
}
