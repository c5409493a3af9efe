import { execFile, type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { NODE_22 } from "../support/installed.ts";
import { NETWORK } from "../support/network.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../", import.meta.resolve("@suite/core/package.json")));
const PNPM = join(ROOT, "node_modules/.bin/pnpm");
const START_MS = 60_000;
const PUBLISH_MS = 280_000;

const SERVE = `
import { runServer } from "verdaccio";
const server = await runServer(process.argv[1]);
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

/** A registry on this machine: it has packages of the suite as they are built, and gets all others where npm does. */
export class LocalRegistry {
  readonly url: string;
  /** Where npm gets packages here. */
  readonly upstream: string;
  readonly #process: ChildProcess;

  private constructor(url: string, upstream: string, child: ChildProcess) {
    this.url = url;
    this.upstream = upstream;
    this.#process = child;
  }

  /** With these packages of the suite, or all that are not private. */
  static async start(folder: string, names: readonly string[] = []): Promise<LocalRegistry> {
    await mkdir(folder, { recursive: true });
    const { stdout } = await run("npm", ["config", "get", "registry"], { cwd: ROOT });
    const upstream = stdout.trim();
    const everybody = { access: "$all", publish: "$anonymous" };
    const config = {
      storage: join(folder, "storage"),
      uplinks: { upstream: { url: upstream, timeout: "60s", maxage: "1h" } },
      packages: { "@suite/*": everybody, "**": { ...everybody, proxy: "upstream" } },
      max_body_size: "50mb",
      log: { type: "file", path: join(folder, "registry.log"), level: "warn" },
    };
    const file = join(folder, "config.yaml");
    // JSON is YAML.
    await writeFile(file, JSON.stringify(config));
    const child = spawn(NODE_22, ["--input-type=module", "-e", SERVE, file], {
      cwd: join(ROOT, "e2e"),
      env: { ...process.env, ...NETWORK },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const port = await readPort(child);
    const registry = new LocalRegistry(`http://127.0.0.1:${port}/`, upstream, child);
    try {
      await publish(names, registry.url, folder);
    } catch (error) {
      await registry.close();
      throw error;
    }
    return registry;
  }

  async close(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
  }
}

async function publish(names: readonly string[], url: string, folder: string): Promise<void> {
  // Nobody has to log in, but npm refuses to publish without a token.
  const settings = join(folder, "npmrc");
  await writeFile(settings, `${url.replace("http:", "")}:_authToken=nobody\n`);
  // npm reads both spellings, and one of them may come from the environment.
  const own = { npm_config_userconfig: settings, NPM_CONFIG_USERCONFIG: settings };
  const env = { ...process.env, ...own, npm_config_loglevel: "error" };
  const filters = names.map((name) => `--filter=${name}`);
  const args = ["-r", ...filters, "publish", "--no-git-checks", "--registry", url];
  await run(PNPM, args, { cwd: ROOT, env, timeout: PUBLISH_MS });
}

async function readPort(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout! });
  const signal = AbortSignal.timeout(START_MS);
  try {
    const [line] = (await once(lines, "line", { signal })) as [string];
    return line;
  } catch (error) {
    child.kill("SIGKILL");
    throw new Error("The registry did not start", { cause: error });
  }
}
