import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { satisfies } from "@suite/check";
import type { Fields } from "@suite/check/wires";
import { getMcpConfigForManifest } from "@anthropic-ai/mcpb";
import { ChildTransport, connect } from "@suite/core/client";
import { expect, it } from "vitest";

import { NPX_SERVERS } from "../registry/npx.ts";
import { homeOf, NODE_22 } from "../support/installed.ts";
import { createPlace } from "../support/place.ts";
import { bundleServer } from "./bundle.ts";
import { BUNDLED_SERVERS } from "./inputs.ts";

type McpbManifest = Parameters<typeof getMcpConfigForManifest>[0]["manifest"];

const MCPB = join(createRequire(import.meta.url).resolve("@anthropic-ai/mcpb"), "../cli/cli.js");

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));
const SCHEMA = readJson(fileURLToPath(new URL("server.schema.json", import.meta.url))) as Fields;

const folder = createPlace();

const entries: object[] = [];

/** As a person would fill it in; what is prepared beyond that goes behind. */
function fillIn({ inputs }: (typeof BUNDLED_SERVERS)[number], prepared: readonly string[]): Fields {
  return Object.fromEntries(
    inputs.map(({ key, kind }) => [key, kind === "secret" ? "no-token" : prepared.slice(-1)]),
  );
}

it("has all servers that npx starts", () => {
  const names = BUNDLED_SERVERS.map(({ package: name }) => name);
  expect(names).toEqual(NPX_SERVERS.map(({ package: name }) => name));
});

it.each(BUNDLED_SERVERS.map((server) => [server.package, server] as const))(
  "%s serves from its bundle, has the tools it names, and an entry that the registry takes",
  async (name, server) => {
    // As an earlier build leaves it; a package would not have it.
    const stale = join(homeOf(name), "dist/chunks/stale-12345678.js");
    writeFileSync(stale, "");
    const { file, entry } = await bundleServer(server, folder);
    expect(satisfies(SCHEMA, entry)).toBe(true);
    entries.push(entry);
    const home = join(folder, name);
    execFileSync(process.execPath, [MCPB, "unpack", file, home]);
    const manifest = readJson(join(home, "manifest.json")) as McpbManifest;
    const files = readdirSync(join(home, "dist"), { recursive: true, encoding: "utf8" });
    expect(files.length).toBeGreaterThan(3);
    const hasDocuments = existsSync(join(home, "node_modules/@suite/documents/package.json"));
    expect(hasDocuments).toBe(/filesystem|fetch/.test(name));
    expect(files.filter((path) => path.endsWith(".map") || path.includes("stale"))).toEqual([]);

    const work = join(home, "work");
    mkdirSync(work);
    const started = NPX_SERVERS.find((one) => one.package === name)!;
    const prepared = started.prepare(work);
    const config = await getMcpConfigForManifest({
      manifest,
      extensionPath: home,
      systemDirs: {},
      userConfig: fillIn(server, prepared) as Record<string, string[]>,
      pathSeparator: sep,
    });
    const args = [...(config?.args ?? []), ...prepared.filter((word) => !config?.args?.includes(word))];
    const isForNewer = manifest.compatibility?.runtimes?.node === ">=22";
    const node = isForNewer ? NODE_22 : process.execPath;
    const client = await connect(new ChildTransport(node, { args, env: config?.env ?? {} }));
    const tools = await client.listTools();
    const result = await client.callTool(started.call.name, started.call.arguments);
    await client.close();
    expect(JSON.stringify(result.content)).toContain(started.answer);
    expect(isForNewer).toBe(name === "@suite/server-sqlite");
    expect(JSON.stringify(config)).not.toContain("${");
    expect(manifest.tools?.map((tool) => tool.name)).toEqual(tools.map((tool) => tool.name));
    expect(tools.length).toBeGreaterThan(3);
  },
);

it("refuses an entry that the registry would refuse", () => {
  const [entry] = entries;
  expect(satisfies(SCHEMA, entry)).toBe(true);
  for (const wrong of [
    { description: "x".repeat(101) },
    { name: "filesystem" },
    { version: "latest" },
    { packages: [] },
    { license: "MIT" },
  ]) {
    expect(satisfies(SCHEMA, { ...entry, ...wrong })).toBe(false);
  }
});
