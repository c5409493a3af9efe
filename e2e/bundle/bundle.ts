import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { packExtension } from "@anthropic-ai/mcpb/cli";
import { ChildTransport, connect } from "@suite/core/client";

import { NPX_SERVERS } from "../registry/npx.ts";
import { homeOf } from "../support/installed.ts";
import { inRoot } from "../support/root.ts";
import type { BundledServer, Input } from "./inputs.ts";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly mcpName: string;
  readonly description: string;
  readonly license: string;
  readonly keywords: readonly string[];
  readonly homepage: string;
  readonly engines: { readonly node: string };
  readonly repository: { readonly url: string; readonly directory: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

interface Tool {
  readonly name: string;
  readonly description?: string;
}

export interface Bundle {
  /** The .mcpb file. */
  readonly file: string;
  /** What the registry wants to know: server.json. */
  readonly entry: object;
}

/** Of better-sqlite3 13. */
const NATIVE_ENGINES = ">=22";

/** Makes the bundle of a server and its entry for the registry. Its tools are those of the program that is in the bundle. */
export async function bundleServer(server: BundledServer, outputFolder: string): Promise<Bundle> {
  const home = homeOf(server.package);
  const manifest = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as Manifest;
  const name = server.package.replace("@suite/server-", "");
  const folder = mkdtempSync(join(tmpdir(), "suite-bundle-"));
  try {
    const content = join(folder, "content");
    unpackPackage(home, content, folder);
    const native = copyDependencies(manifest, content);
    copyDocuments(manifest, content);
    const tools = await listTools(server, content, folder);
    const description = toManifest(server, manifest, name, tools, native);
    writeFileSync(join(content, "manifest.json"), `${JSON.stringify(description, undefined, 2)}\n`);
    mkdirSync(outputFolder, { recursive: true });
    const file = join(outputFolder, `${name}.mcpb`);
    if (!(await packExtension({ extensionPath: content, outputPath: file, silent: true }))) {
      throw new Error(`mcpb did not pack ${server.package}`);
    }
    const digest = createHash("sha256").update(readFileSync(file)).digest("hex");
    return { file, entry: toRegistryEntry(server, manifest, { name, digest }) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** As npm would get it. */
function unpackPackage(home: string, content: string, folder: string): void {
  const pnpm = inRoot("node_modules/.bin/pnpm");
  execFileSync(pnpm, ["pack", "--pack-destination", folder], { cwd: home, stdio: "ignore" });
  const packed = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  mkdirSync(content);
  execFileSync("tar", ["-xzf", join(folder, packed), "-C", content, "--strip-components=1"]);
}

/** Copies what is not in the program itself, and says whether there is any: binaries, of the version that has one for every platform. */
function copyDependencies({ dependencies = {} }: Manifest, content: string): boolean {
  if (!("better-sqlite3" in dependencies)) return false;
  cpSync(homeOf("better-sqlite3-13"), join(content, "node_modules/better-sqlite3"), {
    recursive: true,
    dereference: true,
    // Its sources.
    filter: (path) => !/\/(deps|src|binding\.gyp)$/.test(path),
  });
  return true;
}

/** What reads documents is optional, but a desktop host cannot install it. */
function copyDocuments({ peerDependencies = {} }: Manifest, content: string): void {
  if (!("@suite/documents" in peerDependencies)) return;
  const home = homeOf("@suite/documents");
  const own = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as Manifest;
  const folder = join(content, "node_modules");
  cpSync(join(home, "dist"), join(folder, "@suite/documents/dist"), { recursive: true });
  cpSync(join(home, "package.json"), join(folder, "@suite/documents/package.json"));
  for (const name of Object.keys(own.dependencies ?? {}))
    cpSync(join(home, "node_modules", name), join(folder, name), { recursive: true, dereference: true });
}

async function listTools(server: BundledServer, content: string, folder: string): Promise<readonly Tool[]> {
  const work = join(folder, "work");
  mkdirSync(work);
  const started = NPX_SERVERS.find(({ package: name }) => name === server.package);
  const args = [join(content, "dist/main.js"), ...(started?.prepare(work) ?? [])];
  const client = await connect(new ChildTransport(process.execPath, { args }));
  try {
    return await client.listTools();
  } finally {
    await client.close();
  }
}

function toManifest(
  { inputs, privacyPolicies }: BundledServer,
  manifest: Manifest,
  name: string,
  tools: readonly Tool[],
  isNative: boolean,
): object {
  const refer = ({ key }: Input): string => `\${user_config.${key}}`;
  const variables = inputs.flatMap((input) =>
    input.variable === undefined ? [] : [[input.variable, refer(input)]],
  );
  return {
    manifest_version: "0.3",
    name: `suite-${name}`,
    display_name: `Suite ${name}`,
    version: manifest.version,
    description: manifest.description,
    author: { name: new URL(manifest.homepage).pathname.split("/")[1] },
    repository: { type: "git", url: manifest.repository.url.replace("git+", "") },
    homepage: manifest.homepage,
    license: manifest.license,
    keywords: manifest.keywords,
    server: {
      type: "node",
      entry_point: "dist/main.js",
      mcp_config: {
        command: "node",
        args: [
          "${__dirname}/dist/main.js",
          ...inputs.filter(({ variable }) => variable === undefined).map(refer),
        ],
        env: Object.fromEntries(variables) as Record<string, string>,
      },
    },
    tools: tools.map((tool) => ({ name: tool.name, description: tool.description })),
    user_config: Object.fromEntries(inputs.map((input) => [input.key, toUserConfig(input)])),
    ...(privacyPolicies && {
      privacy_policies: privacyPolicies.map((policy) => new URL(policy, manifest.homepage).href),
    }),
    compatibility: {
      // Those that the tests have seen.
      platforms: ["linux", "win32"],
      runtimes: { node: isNative ? NATIVE_ENGINES : manifest.engines.node },
    },
  };
}

const toUserConfig = ({ title, description, kind }: Input): object =>
  kind === "secret"
    ? { type: "string", title, description, sensitive: true, required: true }
    : { type: kind, title, description, multiple: true, required: true };

function toRegistryEntry(
  { package: identifier, inputs }: BundledServer,
  { mcpName, version, description, repository, homepage }: Manifest,
  bundle: { readonly name: string; readonly digest: string },
): object {
  const url = repository.url.replace(/^git\+|\.git$/g, "");
  const environmentVariables = inputs.flatMap(({ variable, ...input }) =>
    variable === undefined
      ? []
      : [{ name: variable, description: input.description, isRequired: true, isSecret: true }],
  );
  const packageArguments = inputs
    .filter(({ variable }) => variable === undefined)
    .map(({ key, description: meaning }) => ({
      type: "positional",
      valueHint: key,
      description: meaning,
      format: "filepath",
      isRequired: true,
      isRepeated: true,
    }));
  const given = {
    transport: { type: "stdio" },
    ...(packageArguments.length > 0 && { packageArguments }),
    ...(environmentVariables.length > 0 && { environmentVariables }),
  };
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: mcpName,
    description,
    version,
    repository: { url, source: "github", subfolder: repository.directory },
    websiteUrl: homepage,
    packages: [
      {
        registryType: "npm",
        identifier,
        version,
        runtimeHint: "npx",
        runtimeArguments: [{ type: "positional", value: "-y" }],
        ...given,
      },
      {
        registryType: "mcpb",
        identifier: `${url}/releases/download/v${version}/${bundle.name}.mcpb`,
        version,
        fileSha256: bundle.digest,
        transport: { type: "stdio" },
      },
    ],
  };
}
