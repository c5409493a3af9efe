import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { NETWORK } from "../support/network.ts";
import { inRoot } from "../support/root.ts";
import { inSoak } from "../support/soak.ts";
import { LocalRegistry } from "./local-registry.ts";
import { NPX_SERVERS, packBuiltSqlite, runNpx } from "./npx.ts";

const run = promisify(execFile);
/** A fork runs all tests of its server. */
const PATIENCE_MS = inSoak(900_000, 300_000);
const REMOVING_MS = 120_000;
const TEMPLATES = inSoak(readdirSync(inRoot("servers")), ["notes"]);

const MIB = 1024 * 1024;
/** Has a native module, and its installer. */
const NATIVE = "@suite/server-sqlite";
/** All of them, or what a fork of notes needs, and what is installed. */
const PUBLISHED = inSoak([], ["core", "auth", "server-kit", "create-server", "check", "server-sqlite"]).map(
  (name) => `@suite/${name}`,
);
const INSTALLED = NPX_SERVERS.filter((server) => inSoak(true, server.package === NATIVE));

const folder = mkdtempSync(join(tmpdir(), "suite-published-"));
const home = join(folder, "home");
/** Until it has started, there is nothing to close. */
let registry: Pick<LocalRegistry, "url" | "upstream" | "close"> = {
  url: "",
  upstream: "",
  close: async () => undefined,
};
let builtSqlite: Readonly<Record<string, string>>;

beforeAll(async () => {
  mkdirSync(home);
  builtSqlite = packBuiltSqlite(home);
  registry = await LocalRegistry.start(join(folder, "registry"), PUBLISHED);
  // All other packages come straight from where npm gets them: passing them on takes as long as installing them.
  const direct = ["127.0.0.1", process.env["NO_PROXY"] ?? process.env["no_proxy"]].filter(Boolean).join(",");
  writeFileSync(join(home, ".npmrc"), `@suite:registry=${registry.url}\nnoproxy=${direct}\n`);
}, PATIENCE_MS);

afterAll(async () => {
  await registry.close();
  rmSync(folder, { recursive: true, force: true });
  // Removing what was installed takes a busy machine its time.
}, REMOVING_MS);

/** As a new user does, whose home has nothing in it but the way to our packages. */
async function runCommand(command: string, cwd: string, network = {}): Promise<string> {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    ...network,
    npm_config_registry: registry.upstream,
    ...builtSqlite,
  };
  const { stdout } = await run("sh", ["-c", command], { cwd, env, timeout: PATIENCE_MS });
  return stdout;
}

it.each(TEMPLATES)(
  "npm create makes a server from %s that installs, builds and passes its tests",
  async (template) => {
    const cwd = join(folder, template);
    mkdirSync(cwd);
    const made = await runCommand(
      `npm create --yes @suite/server my-server -- --yes --from ${template}`,
      cwd,
      NETWORK,
    );
    expect(made).toContain(`from the template ${template}`);
    const project = join(cwd, "my-server");
    await runCommand("npm install", project, NETWORK);
    const tested = await runCommand("npm run build && npm test", project);
    expect(tested).toMatch(/Tests .*\d+ passed/);
    const help = await runCommand("npm start -- --help", project);
    expect(help).toContain("my-server");
  },
  PATIENCE_MS,
);

it(
  "npx -y @suite/check checks a server",
  async () => {
    const command = `npx -y @suite/check --revision 2025-11-25 --patience 60 -- node ${inRoot("servers/notes/dist/main.js")}`;
    expect(await runCommand(command, folder)).toContain("0 errors, 0 warnings, 0 notes");
  },
  PATIENCE_MS,
);

const versionOf = (name: string): unknown => {
  const file = inRoot(`servers/${name.replace("@suite/server-", "")}/package.json`);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: unknown }).version;
};

it.each(INSTALLED.map((server) => [server.package, server] as const))(
  "npx -y %s installs and serves in an empty home",
  async (name, server) => {
    const { version, text, packages, bytes } = await runNpx(server, registry.url, join(folder, name));
    expect(version).toBe(versionOf(name));
    expect(text).toContain(server.answer);
    expect(packages).toContain(name);
    expect(bytes).toBeGreaterThan(MIB / 4);
    if (name === NATIVE) return;
    expect(packages).toEqual([name]);
    expect(bytes).toBeLessThan(2 * MIB);
  },
  PATIENCE_MS,
);
