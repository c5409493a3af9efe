import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { standardOptions } from "@suite/server-kit/program";
import { ROOT } from "./documents.ts";

const PROJECT = "/path/to/your/project";
const PROGRAM = join(ROOT, "servers/filesystem/dist/main.js");

const INTRODUCTION = `# Hosts

Every server prints its configuration for your host. Give it the arguments you want it to have:

\`\`\`sh
node servers/filesystem/dist/main.js --print-host-config claude-desktop .
\`\`\`

The configuration goes to standard output. Where it belongs, and a link that installs it with one click where the host has
such links, go to standard error. A clone starts the built file, an installed package is started by npx; \`--host-command npx\` or
\`node\` chooses. With \`--http\` you get the configuration for a server that runs by itself. Secrets are never printed: where the
host can ask for them or look them up, the configuration says so, and elsewhere you put the value in.

A host that was not started from a shell may not find \`npx\` or \`node\`. Then give the full path of the program as \`command\`.

Below: the filesystem server, by npx and over HTTP.
`;

const LANGUAGES: { readonly [host: string]: string } = { codex: "toml", goose: "yaml" };

interface Printed {
  readonly out: string;
  readonly aside: string;
}

function print(args: readonly string[]): Printed {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return { out: stdout, aside: stderr };
}

/** The whole document: what the filesystem server prints for each host. */
export function renderHosts(): string {
  const sections = standardOptions.printHostConfig.values.map((host) => {
    const local = print(["--print-host-config", host, "--host-command", "npx", PROJECT]);
    const remote = print(["--print-host-config", host, "--http", "3000"]);
    const [, title = "", where = ""] = /^(.*?): (.*)$/m.exec(local.aside) ?? [];
    const toBlock = ({ out }: Printed): string => `\`\`\`${LANGUAGES[host] ?? "json"}\n${out}\`\`\``;
    return `## ${title}\n\n${where}\n\n${toBlock(local)}\n\n${toBlock(remote)}\n`;
  });
  return [INTRODUCTION, ...sections].join("\n");
}
