import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ChildTransport, connect } from "@suite/core/client";
import { standardOptions } from "@suite/server-kit/program";
import { describe, expect, it } from "vitest";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { createPlace } from "../support/place.ts";
import { blocksOf, type CodeBlock, inClone, placeOf, readDocuments, ROOT } from "./documents.ts";
import { drawHostConfig } from "./draw-tour.ts";
import { renderHosts } from "./render-hosts.ts";

/** Stand in the documents for what a server is to serve. */
const PROJECT = "/path/to/your/project";
const DATABASE = "/path/to/your/app.db";

const folder = createPlace();
writeFileSync(join(folder, "app.db"), "");

const toLocal = (text: string): string =>
  inClone(text).replaceAll(DATABASE, join(folder, "app.db")).replaceAll(PROJECT, folder);

interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/** What npx would get from the registry is what was built here. */
function withoutNpx({ command, args }: Launch): Launch {
  if (command !== "npx") return { command, args };
  const [, name = "", ...rest] = args;
  const place = name.replace(/^@suite\/server-/, "servers/");
  return { command: process.execPath, args: [join(ROOT, place, "dist/main.js"), ...rest] };
}

const documents = readDocuments();
const jsonBlocks = documents.flatMap(blocksOf).filter(({ language }) => language === "json");
/** Snippets name programs of the reader. Those of docs/hosts.md have tests of their own below. */
const configurations = jsonBlocks.filter(
  ({ text, document, marks }) =>
    /"(mcpServers|servers)"/.test(text) && document !== "docs/hosts.md" && !marks.includes("snippet"),
);

function launchesIn(text: string): readonly Launch[] {
  const configuration = JSON.parse(toLocal(text)) as Record<string, Record<string, Launch>>;
  return Object.values(configuration).flatMap((servers) => Object.values(servers));
}

/** What hosts read their settings with. */
const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  json: (text) => JSON.parse(text) as unknown,
  toml: parseToml,
  yaml: (text) => parseYaml(text) as unknown,
};

/** Hosts differ in what they call the list of servers. */
function serverIn({ language, text }: CodeBlock): Readonly<Record<string, unknown>> {
  const settings = PARSERS[language]?.(toLocal(text)) as Record<string, unknown>;
  const lists = Object.values(settings).filter((value) => typeof value === "object");
  const [list] = lists as Record<string, Record<string, unknown>>[];
  return list?.["filesystem"] ?? {};
}

async function checkLaunch({ command, args }: Launch): Promise<void> {
  const client = await connect(new ChildTransport(command, { args }), { revision: "2025-11-25" });
  expect(client.agreement.revision).toBe("2025-11-25");
  expect(client.agreement.server.info?.name).toBe(/servers\/(\w+)\/dist/.exec(args.join(" "))?.[1]);
  // What cannot be served ends the process once it is loaded.
  expect(await client.listTools()).not.toEqual([]);
  await client.close();
}

/** Without a command, or by one that is not ours, the host goes to a URL. */
async function checkServer(server: Readonly<Record<string, unknown>>): Promise<void> {
  const words = [server["command"] ?? server["cmd"] ?? [], server["args"] ?? []].flat().map(String);
  const [command = "", ...args] = words;
  if (command !== "" && !args.includes("mcp-remote")) return checkLaunch(withoutNpx({ command, args }));
  expect([...Object.values(server), ...args]).toContain("http://127.0.0.1:3000/mcp");
}

describe("configuration for hosts", () => {
  it("is there for every server", () => {
    const programs = configurations.flatMap(({ text }) => launchesIn(text)).map(({ args }) => args[0]);
    const servers = programs.map((program) => /servers\/(\w+)\/dist/.exec(program ?? "")?.[1]);
    expect(new Set(servers)).toEqual(new Set(["filesystem", "git", "sqlite", "fetch", "github"]));
  });

  it.each(configurations.map((block) => [placeOf(block), block] as const))(
    "%s starts a server",
    async (_, block) => {
      const launches = launchesIn(block.text).map(withoutNpx);
      expect(launches).not.toEqual([]);
      for (const launch of launches) await checkLaunch(launch);
    },
  );

  it("on a command line starts a server", async () => {
    const lines = documents.flatMap(({ text }) => [
      ...toLocal(text).matchAll(/^claude mcp add \S+ -- (\S+) (.+)$/gm),
    ]);
    expect(lines).not.toEqual([]);
    for (const [, command = "", args = ""] of lines) await checkLaunch({ command, args: args.split(" ") });
  });
});

describe("docs/hosts.md", () => {
  const shown = documents.filter(({ path }) => path === "docs/hosts.md").flatMap(blocksOf);
  const settings = shown.filter(({ language }) => language in PARSERS);
  const page = documents.find(({ path }) => path === "docs/hosts.md")?.text ?? "";
  /** In place of `command` and `args`, for a server that already runs. */
  const entries = [...page.matchAll(/^- \*\*(.+)\*\*: .* At a URL: `(.+?)`\./gm)].map(
    ([, host = "", entry = ""]) => [host, entry] as const,
  );

  it.each([
    ["docs/hosts.md", renderHosts],
    ["docs/hosts.svg", drawHostConfig],
  ])("%s is what the servers print", (file, make) => {
    const made = make();
    if (process.env["UPDATE_DOCS"]) writeFileSync(join(ROOT, file), made);
    expect(readFileSync(join(ROOT, file), "utf8")).toBe(made);
  });

  it("has every host", () => {
    expect(entries.length + settings.filter(({ text }) => text.includes("127.0.0.1")).length).toBe(
      standardOptions.printHostConfig.values.length,
    );
    expect(new Set(settings.map(({ language }) => language))).toEqual(new Set(["json", "toml", "yaml"]));
  });

  it.each(settings.map((block) => [placeOf(block), block] as const))(
    "%s starts a server, or names the URL of one",
    async (_, block) => {
      const server = serverIn(block);
      expect(server).not.toEqual({});
      await checkServer(server);
    },
  );

  it.each(entries)("%s goes to the URL of a server that runs", async (_, entry) => {
    const server = JSON.parse(entry) as Readonly<Record<string, unknown>>;
    expect(server).not.toEqual({});
    await checkServer(server);
  });
});

describe("blocks of JSON", () => {
  it.each(jsonBlocks.map((block) => [placeOf(block), block] as const))("%s parses", (_, { text }) => {
    expect(JSON.parse(text)).toBeTypeOf("object");
  });
});
