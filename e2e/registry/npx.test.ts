import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, expect, it } from "vitest";

import { LocalRegistry } from "./local-registry.ts";
import { NPX_SERVERS, runNpx } from "./npx.ts";

const PATIENCE_MS = 300_000;
const MIB = 1024 * 1024;
/** Has a native module, and its installer. */
const NATIVE = "@suite/server-sqlite";

const folder = mkdtempSync(join(tmpdir(), "suite-npx-"));
let registry: LocalRegistry;

beforeAll(async () => {
  registry = await LocalRegistry.start(join(folder, "registry"));
}, PATIENCE_MS);

afterAll(async () => {
  await registry.close();
  rmSync(folder, { recursive: true, force: true });
});

const versionOf = (name: string): unknown => {
  const file = new URL(`../../servers/${name.replace("@suite/server-", "")}/package.json`, import.meta.url);
  return (JSON.parse(readFileSync(fileURLToPath(file), "utf8")) as { version: unknown }).version;
};

it.each(NPX_SERVERS.map((server) => [server.package, server] as const))(
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
