import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { until } from "@suite/check/wires";

import { freePort } from "../support/free-port.ts";
import { createPlace } from "../support/place.ts";

export interface EmulatedApi {
  readonly url: string;
  readonly token: string;
  close(): void;
}

const TOKEN = "emulated_token";
const SEED = {
  tokens: { [TOKEN]: { login: "octo", scopes: ["repo"] } },
  github: {
    users: [{ login: "octo" }, { login: "mallory" }],
    repos: [
      { owner: "octo", name: "app", description: "An app", auto_init: true },
      { owner: "octo", name: "secret", private: true, auto_init: true },
    ],
  },
};

const toPath = (file: string): string => fileURLToPath(new URL(`../node_modules/${file}`, import.meta.url));

/** A GitHub that remembers: repositories, issues, branches, files and pull requests, in a process of its own. */
export async function startEmulatedApi(): Promise<EmulatedApi> {
  const seed = join(createPlace(), "seed.json");
  writeFileSync(seed, JSON.stringify(SEED));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  // It needs a newer Node than the suite does.
  const node = toPath("node/bin/node");
  const program = toPath("emulate/dist/index.js");
  const args = [program, "start", "--service", "github", "--seed", seed, "--port", String(port)];
  const child = spawn(node, args, { stdio: "ignore" });
  await until(() => fetch(`${url}/rate_limit`).catch(() => undefined), "The emulated GitHub");
  return { url, token: TOKEN, close: () => void child.kill() };
}
