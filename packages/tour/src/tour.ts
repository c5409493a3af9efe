import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { type Prompt, type ServerCapabilities, SUPPORTED_VERSIONS, type Tool } from "@suite/core";
import type { Client } from "@suite/core/client";
import type { StandardOptions } from "@suite/server-kit/program";
import { Conversation, programOf, showServer, TourFailure, type TourServer } from "./conversation.ts";
import { showRevisions } from "./revisions.ts";
import type { Definition, Screen } from "./screen.ts";
import { SAMPLE_FILES } from "./servers.ts";

const REVISIONS = `${SUPPORTED_VERSIONS.length} revisions of the protocol`;

const NEXT_STEPS = [
  { label: "npm start -- --all", text: "everything: all tools, all revisions, more calls, more hosts" },
  { label: "npm start -- git --all", text: "the same for one server" },
  { label: "servers/<name>/README.md", text: "tools, options, what you can rely on" },
  { label: "docs/quick-start.md", text: "a server of your own" },
];

/** One screen for each server, or everything there is to show. */
export async function runTour(servers: readonly TourServer[], screen: Screen, all: boolean): Promise<void> {
  const folder = createSampleFolder();
  try {
    screen.paragraph(
      `Real servers, each in a process of its own, and our own client. /sample stands for ${folder}, which is removed at the end.${all ? "" : " A bar (│) marks text from outside, which the model gets fenced as untrusted."}`,
    );
    screen.nickname(folder, "/sample");
    for (const server of servers) await (all ? showWhole : showBriefly)(server, screen, folder);
    const last = servers.at(-1);
    if (!all && last) {
      screen.title(`${last.name} in ${REVISIONS}`);
      await showRevisions(last, screen, folder);
    }
  } finally {
    removeSampleFolder(folder);
  }
  screen.title("For your host");
  (all ? showHosts : showHost)(servers, screen);
  screen.title("Next");
  screen.definitions(NEXT_STEPS);
}

async function showBriefly(server: TourServer, screen: Screen, folder: string): Promise<void> {
  screen.title(server.name);
  screen.paragraph(server.summary);
  const onQuestion = (message: string): void => screen.asked(`The user is asked, and agrees: ${message}`);
  await showServer(server, { folder, onQuestion }, async (client) => {
    screen.paragraph(await countOffers(client));
    screen.line();
    await server.show(new Conversation(client, screen), folder);
  });
}

async function countOffers(client: Client): Promise<string> {
  const [tools, templates, prompts] = await Promise.all([
    client.listTools(),
    client.listResourceTemplates(),
    client.listPrompts(),
  ]);
  const uris = templates.length === 1 ? "1 kind of resource" : `${templates.length} kinds of resources`;
  const asked = prompts.length === 1 ? "1 prompt" : `${prompts.length} prompts`;
  return `${tools.length} tools, ${uris}, ${asked}; revision ${client.agreement.revision}`;
}

async function showWhole(server: TourServer, screen: Screen, folder: string): Promise<void> {
  screen.title(server.name);
  screen.paragraph(server.summary);
  screen.paragraph(`node ${relative(process.cwd(), programOf(server))}`);
  screen.line();
  const onQuestion = (message: string): void =>
    screen.asked(`${message} (asked of the user; the tour fills in ${JSON.stringify(server.answer)})`);
  await showServer(server, { folder, onQuestion }, async (client) => {
    await showCatalog(client, screen);
    screen.heading("What it does");
    const conversation = new Conversation(client, screen);
    await server.show(conversation, folder);
    await server.more(conversation, folder);
  });
  screen.heading(`The same program in ${REVISIONS}`);
  await showRevisions(server, screen, folder);
}

/** A folder of this run's own with something in it to work on. It goes with the process, however that ends. */
function createSampleFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "suite-tour-"));
  process.once("exit", () => removeSampleFolder(folder));
  for (const [name, text] of Object.entries(SAMPLE_FILES)) writeFileSync(join(folder, name), text);
  return folder;
}

const removeSampleFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

/** Who the server is, and everything it offers. */
async function showCatalog(client: Client, screen: Screen): Promise<void> {
  const { revision, era, server } = client.agreement;
  const { info, capabilities, instructions } = server;
  screen.definitions([
    { label: "server", text: info ? `${info.name} ${info.version}` : "(says nothing of itself)" },
    { label: "agreed on", text: `revision ${revision}, ${era} era` },
    { label: "capabilities", text: describeCapabilities(capabilities) },
    ...(instructions === undefined ? [] : [{ label: "instructions", text: instructions }]),
  ]);
  for (const [heading, list] of LISTS) {
    if (capabilities[heading.capability] === undefined) continue;
    screen.heading(heading.title);
    screen.definitions(await list(client));
  }
}

interface Heading {
  readonly title: string;
  readonly capability: "tools" | "resources" | "prompts";
}

const LISTS: readonly (readonly [Heading, (client: Client) => Promise<readonly Definition[]>])[] = [
  [
    { title: "Tools", capability: "tools" },
    async (client) =>
      (await client.listTools()).map((tool) => ({
        label: tool.name,
        text: `${effectsOf(tool)} ${tool.description ?? ""}`,
      })),
  ],
  [
    { title: "Resources", capability: "resources" },
    async (client) =>
      (await client.listResources()).map(({ uri, name, title, description }) => ({
        label: uri,
        text: description ?? title ?? name,
      })),
  ],
  [
    { title: "Resource templates", capability: "resources" },
    async (client) =>
      (await client.listResourceTemplates()).map(({ uriTemplate, name, description }) => ({
        label: uriTemplate,
        text: description ?? name,
      })),
  ],
  [
    { title: "Prompts", capability: "prompts" },
    async (client) =>
      (await client.listPrompts()).map((prompt) => ({
        label: signatureOf(prompt),
        text: prompt.description ?? "",
      })),
  ],
];

function describeCapabilities(capabilities: ServerCapabilities): string {
  return Object.entries(capabilities)
    .map(([name, settings]) => {
      const parts = Object.keys(settings as object);
      return parts.length === 0 ? name : `${name} (${parts.join(", ")})`;
    })
    .join(", ");
}

function effectsOf({ annotations }: Tool): string {
  if (annotations?.readOnlyHint === true) return "[reads]";
  return annotations?.destructiveHint === false ? "[writes]" : "[may destroy]";
}

const signatureOf = ({ name, arguments: args = [] }: Prompt): string =>
  `${name}(${args.map((argument) => (argument.required === true ? argument.name : `${argument.name}?`)).join(", ")})`;

export type HostId = StandardOptions["printHostConfig"]["values"][number];

export interface HostConfig {
  /** The host, and where it keeps its configuration. */
  readonly title: string;
  readonly where: string;
  readonly text: string;
  /** Installs the server, where the host has such links. */
  readonly link: string | undefined;
}

/** What a program prints for a host. */
export function readHostConfig(
  program: string,
  host: HostId,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): HostConfig {
  const words = [program, "--print-host-config", host, ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8", env });
  if (status !== 0) throw new TourFailure(`${program}: ${stderr}`);
  const [, title = "", where = ""] = /^(.*?): (.*)$/m.exec(stderr) ?? [];
  return { title, where, text: stdout, link: /^Or open this link: (\S+)$/m.exec(stderr)?.[1] };
}

const SHOWN: readonly HostId[] = ["claude-desktop", "vscode", "claude-code"];

/** By the words of the host: servers by name, and in VS Code a list of what to ask for. */
type Settings = Readonly<Record<string, object>>;

interface Combined {
  readonly title: string;
  readonly where: string;
  readonly settings: Settings;
}

/** What the servers print for a host, as one configuration. */
function combine(servers: readonly TourServer[], host: HostId): Combined {
  const configs = servers.map((server) =>
    readHostConfig(programOf(server), host, server.hostArgs(process.cwd())),
  );
  const { title = "", where = "" } = configs[0] ?? {};
  return { title, where, settings: configs.map(({ text }) => JSON.parse(text) as Settings).reduce(merge) };
}

function merge(one: Settings, other: Settings): Settings {
  const merged = Object.entries(other).map(([key, value]) => {
    const known = one[key];
    return [key, Array.isArray(known) ? [...known, ...(value as unknown[])] : { ...known, ...value }];
  });
  return { ...one, ...(Object.fromEntries(merged) as Settings) };
}

/** Configuration to paste. */
function showHosts(servers: readonly TourServer[], screen: Screen): void {
  for (const host of SHOWN) {
    const { title, where, settings } = combine(servers, host);
    screen.heading(title);
    screen.paragraph(where);
    screen.line();
    screen.verbatim(JSON.stringify(settings, null, 2));
  }
  screen.line();
  showMoreHosts(screen);
}

/** The most common notation alone, one line a server. */
function showHost(servers: readonly TourServer[], screen: Screen): void {
  screen.paragraph(
    "Paste what you need into claude_desktop_config.json, ~/.cursor/mcp.json and others with mcpServers:",
  );
  screen.line();
  const { settings } = combine(servers, "claude-desktop");
  const entries = Object.entries(settings["mcpServers"] ?? {}).map(
    ([name, launch]) => `    "${name}": ${JSON.stringify(launch)}`,
  );
  screen.verbatim(`{\n  "mcpServers": {\n${entries.join(",\n")}\n  }\n}`);
  screen.line();
  showMoreHosts(screen);
}

const showMoreHosts = (screen: Screen): void =>
  screen.paragraph(
    "Directories are this one, and the database is in memory: put yours in their place. Every server prints the same for its own arguments and thirteen hosts: --print-host-config vscode, codex, zed, …",
  );
