import { join } from "node:path";
import { standardOptions } from "@suite/server-kit/program";
import { type HostConfig, type HostId, readHostConfig } from "@suite/tour";
import { ROOT } from "./documents.ts";

const PROJECT = "/path/to/your/project";

const INTRODUCTION = `# Hosts

Every server prints its configuration for your host. Three steps, the same for all:

1. **Print it**, with the arguments you want the server to have:

   \`\`\`sh
   node servers/filesystem/dist/main.js --print-host-config claude-desktop .
   \`\`\`

   ![A terminal: the command, the file it belongs in on standard error, and the configuration](hosts.svg)

2. **Put it where it says**, beside the servers that are already there. Where the host has an install link, opening it does the same.
3. **Start the host anew**, and ask it for something the server can do: "Which directories may you use?"

Standard error says where to put it, what else to do, and the link or why there is none. Paths are printed in full, because a host
starts servers in a directory of its own. In a clone the host is told to start the built file, otherwise to use npx; choose with
\`--host-command npx\` or \`node\`. With \`--http 3000\` you get the configuration for a server that is already running, at the URL of
\`--auth-resource\` if you give one.

Secrets are never printed: where the host can ask for them or look them up, the configuration says so; elsewhere you fill in the
value. The GitHub server has a place for \`GITHUB_TOKEN\` even where it is not set; leave it out to read public data only.

A host that was not started from a shell may not find \`npx\` or \`node\`. Then give the full path of the program as \`command\`.

Below is the configuration for the filesystem server by npx; what the host is told instead of \`command\` and \`args\` for one that
already runs; and install links. The links get the packages from npm, once they are published, and start them without arguments: the
filesystem and git servers then serve what the host says is open (roots); where it says nothing, add your directory to what the link
has written. There is no link for SQLite, which needs the path of your database, nor for a clone in Goose, which starts no program
by its path from a link.
`;

const LANGUAGES: { readonly [host: string]: string } = { codex: "toml", goose: "yaml" };

/** Those that need no argument. */
const BY_LINK = ["filesystem", "git", "fetch", "github"];

const programOf = (server: string): string => join(ROOT, "servers", server, "dist/main.js");

/** Without what the shell of the moment says in variables. */
const read = (server: string, host: HostId, args: readonly string[]): HostConfig =>
  readHostConfig(programOf(server), host, args, {});

/** GitHub shows links of the web only; others are copied. */
function toLinks(host: HostId): string {
  const links = BY_LINK.flatMap((server) => {
    const { link } = read(server, host, ["--host-command", "npx"]);
    return link === undefined ? [] : [link.startsWith("https:") ? `[${server}](${link})` : `\`${link}\``];
  });
  return links.length === 0 ? "" : ` Install: ${links.join(" · ")}`;
}

const toBlock = (host: HostId, text: string): string => `\`\`\`${LANGUAGES[host] ?? "json"}\n${text}\`\`\`\n`;

/** What stands for the server in settings of JSON, in one line. */
function toEntry(text: string): string {
  const list: unknown = Object.values(JSON.parse(text) as object).find((value) => typeof value === "object");
  return JSON.stringify(Object.values(list as object)[0]);
}

/** The whole document: what the servers print for each host. Hosts that read the same are together. */
export function renderHosts(): string {
  const hosts = standardOptions.printHostConfig.values.map((host) => ({
    host,
    local: read("filesystem", host, ["--host-command", "npx", PROJECT]),
    remote: read("filesystem", host, ["--http", "3000"]).text,
  }));
  const sections = [...new Set(hosts.map(({ local }) => local.text))].map((text) => {
    const alike = hosts.filter(({ local }) => local.text === text);
    const lines = alike.map(({ host, local, remote }) => {
      const isJson = LANGUAGES[host] === undefined;
      const url = isJson ? ` At a URL: \`${toEntry(remote)}\`.` : "";
      return `- **${local.title}**: ${local.where}.${url}${toLinks(host)}\n`;
    });
    const others = alike.flatMap(({ host, remote }) =>
      LANGUAGES[host] ? [`\n${toBlock(host, remote)}`] : [],
    );
    const titles = alike.map(({ local }) => local.title).join(", ");
    const [{ host }] = alike as [(typeof alike)[number]];
    return `## ${titles}\n\n${toBlock(host, text)}${others.join("")}\n${lines.join("")}`;
  });
  return [INTRODUCTION, ...sections].join("\n");
}
