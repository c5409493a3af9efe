import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { answering } from "./answering.ts";
import { freePort } from "./free-port.ts";

export interface Proxy {
  readonly url: string;
  stop(): Promise<void>;
}

/** A stock nginx in front of these ports, which sends each request where it likes. */
export async function startNginx(ports: readonly number[]): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), "suite-nginx-"));
  const port = await freePort();
  const file = join(folder, "nginx.conf");
  await writeFile(file, toConfiguration(folder, port, ports));
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

const toConfiguration = (folder: string, port: number, ports: readonly number[]): string => `
daemon off;
worker_processes 1;
pid ${folder}/pid;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  upstream replicas {
    ${ports.map((one) => `server 127.0.0.1:${one} max_fails=0;`).join("\n    ")}
    keepalive 32;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://replicas;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_buffering off;
      proxy_read_timeout 1h;
    }
  }
}
`;
