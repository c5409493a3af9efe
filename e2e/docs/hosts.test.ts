import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChildTransport, connect } from "@suite/core/client";
import { afterAll, describe, expect, it } from "vitest";
import { blocksOf, placeOf, readDocuments, ROOT } from "./documents.ts";
import { renderHosts } from "./render-hosts.ts";

/** Stand in the documents for wherever the reader has put the clone, and for what a server is to serve. */
const CLONE = "/path/to/the/clone";
const PROJECT = "/path/to/your/project";
const DATABASE = "/path/to/your/app.db";

const folder = mkdtempSync(join(tmpdir(), "suite-docs-"));
writeFileSync(join(folder, "app.db"), "");
afterAll(() => rmSync(folder, { recursive: true }));

const toLocal = (text: string): string => {
  const here = JSON.stringify(join(ROOT)).slice(1, -1).replace(/\/$/, "");
  return text
    .replaceAll(CLONE, here)
    .replaceAll(DATABASE, join(folder, "app.db"))
    .replaceAll(PROJECT, folder);
};

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
/** Snippets name programs of the reader. Those of docs/hosts.md are made from the same launch, and differ in what the hosts call things. */
const configurations = jsonBlocks.filter(
  ({ text, document, marks }) =>
    /"(mcpServers|servers)"/.test(text) && document !== "docs/hosts.md" && !marks.includes("snippet"),
);

function launchesIn(text: string): readonly Launch[] {
  const configuration = JSON.parse(toLocal(text)) as Record<string, Record<string, Launch>>;
  return Object.values(configuration).flatMap((servers) => Object.values(servers));
}

async function checkLaunch({ command, args }: Launch): Promise<void> {
  const client = await connect(new ChildTransport(command, { args }), { revision: "2025-11-25" });
  expect(client.agreement.revision).toBe("2025-11-25");
  expect(client.agreement.server.info?.name).toBe(/servers\/(\w+)\/dist/.exec(args.join(" "))?.[1]);
  // What cannot be served ends the process once it is loaded.
  expect(await client.listTools()).not.toEqual([]);
  await client.close();
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
  it("is what the servers print", async () => {
    const made = renderHosts();
    if (process.env["UPDATE_DOCS"]) writeFileSync(join(ROOT, "docs/hosts.md"), made);
    expect(readFileSync(join(ROOT, "docs/hosts.md"), "utf8")).toBe(made);
    const block = /```json\n(\{\n {2}"mcpServers"[\s\S]*?)```/.exec(made)?.[1] ?? "";
    for (const launch of launchesIn(block).map(withoutNpx)) await checkLaunch(launch);
  });
});

describe("blocks of JSON", () => {
  it.each(jsonBlocks.map((block) => [placeOf(block), block] as const))("%s parses", (_, { text }) => {
    expect(JSON.parse(text)).toBeTypeOf("object");
  });
});
