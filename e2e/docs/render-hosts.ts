import { join } from "node:path";
import { standardOptions } from "@suite/server-kit/program";
import { type HostConfig, type HostId, readHostConfig } from "@suite/tour";
import { ROOT } from "./documents.ts";

const PROJECT = "/path/to/your/project";

const INTRODUCTION = `# Hosts

Every server prints its configuration for your host. Give it the arguments you want it to have:

\`\`\`sh
node servers/filesystem/dist/main.js --print-host-config claude-desktop .
\`\`\`

The configuration goes to standard output. Standard error says where to put it and what else to do, and gives a one-click install
link or says why there is none. Paths are printed in full, because a host starts servers in a directory of its own. In a clone the
host is told to start the built file, otherwise to use npx; choose with \`--host-command npx\` or \`node\`. With \`--http 3000\`
you get the configuration for a server that is already running, at the URL of \`--auth-resource\` if you give one.

Secrets are never printed: where the host can ask for them or look them up, the configuration says so; elsewhere you fill in the
value. The GitHub server has a place for \`GITHUB_TOKEN\` even where it is not set; leave it out to read public data only.

A host that was not started from a shell may not find \`npx\` or \`node\`. Then give the full path of the program as \`command\`.

Below is the configuration for the filesystem server, first with npx, then over HTTP, followed by install links where the host has
them. The links get the packages from npm, once they are published, and start them without arguments: the filesystem and git servers then serve what the host says is open (roots); where it says nothing, add
your directory to what the link has written. There is no link for SQLite, which needs the path of your database. Goose links can
start npx but not a program by its path, so there is no link for a clone.
`;

const LANGUAGES: { readonly [host: string]: string } = { codex: "toml", goose: "yaml" };

/** Those that need no argument. */
const BY_LINK = ["filesystem", "git", "fetch", "github"];

const programOf = (server: string): string => join(ROOT, "servers", server, "dist/main.js");

/** Without what the shell of the moment says in variables. */
const read = (server: string, host: HostId, args: readonly string[]): HostConfig =>
  readHostConfig(programOf(server), host, args, {});

function toLinks(host: HostId): string {
  const links = BY_LINK.flatMap((server) => {
    const { link } = read(server, host, ["--host-command", "npx"]);
    return link === undefined ? [] : [{ server, link }];
  });
  if (links.length === 0) return "No install links: this host has none.";
  // GitHub shows links of the web only.
  return links.every(({ link }) => link.startsWith("https:"))
    ? `Install with one click: ${links.map(({ server, link }) => `[${server}](${link})`).join(" · ")}`
    : `Install with one click, from your browser's address bar:\n\n\`\`\`text\n${links.map(({ link }) => link).join("\n")}\n\`\`\``;
}

/** The whole document: what the servers print for each host. */
export function renderHosts(): string {
  const sections = standardOptions.printHostConfig.values.map((host) => {
    const local = read("filesystem", host, ["--host-command", "npx", PROJECT]);
    const remote = read("filesystem", host, ["--http", "3000"]);
    const toBlock = ({ text }: HostConfig): string => `\`\`\`${LANGUAGES[host] ?? "json"}\n${text}\`\`\``;
    return `## ${local.title}\n\n${local.where}\n\n${toBlock(local)}\n\n${toBlock(remote)}\n\n${toLinks(host)}\n`;
  });
  return [INTRODUCTION, ...sections].join("\n");
}
