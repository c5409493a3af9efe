import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { getMcpConfigForManifest } from "@anthropic-ai/mcpb";
import { ChildTransport, connect } from "@suite/core/client";
import { afterAll, expect, it } from "vitest";

import { NPX_SERVERS } from "../registry/npx.ts";
import { satisfies } from "../support/json-schema.ts";
import type { Fields } from "../support/message.ts";
import { bundleServer } from "./bundle.ts";
import { BUNDLED_SERVERS } from "./inputs.ts";

type McpbManifest = Parameters<typeof getMcpConfigForManifest>[0]["manifest"];

const MCPB = join(createRequire(import.meta.url).resolve("@anthropic-ai/mcpb"), "../cli/cli.js");

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));
const SCHEMA = readJson(fileURLToPath(new URL("server.schema.json", import.meta.url))) as Fields;

const folder = mkdtempSync(join(tmpdir(), "suite-bundles-"));
afterAll(() => rmSync(folder, { recursive: true }));

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
    const { file, entry } = await bundleServer(server, folder);
    expect(satisfies(SCHEMA, entry)).toBe(true);
    const home = join(folder, name);
    execFileSync(process.execPath, [MCPB, "unpack", file, home]);
    const manifest = readJson(join(home, "manifest.json")) as McpbManifest;

    const work = join(home, "work");
    mkdirSync(work);
    const prepared = NPX_SERVERS.find((one) => one.package === name)?.prepare(work) ?? [];
    const config = await getMcpConfigForManifest({
      manifest,
      extensionPath: home,
      systemDirs: {},
      userConfig: fillIn(server, prepared) as Record<string, string[]>,
      pathSeparator: sep,
    });
    const args = [...(config?.args ?? []), ...prepared.filter((word) => !config?.args?.includes(word))];
    const client = await connect(new ChildTransport(process.execPath, { args, env: config?.env ?? {} }));
    const tools = await client.listTools();
    await client.close();
    expect(JSON.stringify(config)).not.toContain("${");
    expect(manifest.tools?.map((tool) => tool.name)).toEqual(tools.map((tool) => tool.name));
    expect(tools.length).toBeGreaterThan(3);
  },
);

it("refuses an entry that the registry would refuse", async () => {
  const [server] = BUNDLED_SERVERS;
  const { entry } = await bundleServer(server!, folder);
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
