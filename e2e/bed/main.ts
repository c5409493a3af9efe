import { parseArgs } from "node:util";

import { createFolder } from "../contract/program.ts";
import type { ContractServer } from "../contract/contract-server.ts";
import { SERVERS } from "../contract/servers.ts";
import { tidyAtEnd } from "../support/afterwards.ts";
import { REVISIONS, type Revision } from "../support/revisions.ts";
import { commandFor, findNode } from "./other-node.ts";
import { visitOurs } from "./ours.ts";
import { renderFindings, renderServer, renderServers } from "./report.ts";
import { type Outcome, visit } from "./run.ts";
import type { Place, Setting, Transport } from "./visit.ts";

const USAGE = `Puts a server through the same checks as those of the suite.

  npm run e2e -- --command "node my-server.js"     a program that speaks on its standard streams
  npm run e2e -- --url http://localhost:3000/mcp   a server that is there already
  npm run e2e -- --server git                      one of ours (all: --server all)

  --revision 2025-06-18   only this one
  --call-tools            call every tool, not only those that say they are read-only
  --node 24               with another Node, which npm installs; for ours only
`;

const LEGEND = "✓ works, ✗ is wrong, – is not offered; nothing where it does not speak the revision";
const EXIT_USAGE = 64;

const count = (items: readonly string[], noun: string): string =>
  `${items.length} ${noun}${items.length === 1 ? "" : "s"}`;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const fail = (words: string): never => {
  process.stderr.write(`${words}\n`);
  process.exit(EXIT_USAGE);
};

function parseOptions() {
  try {
    return parseArgs({
      options: {
        command: { type: "string" },
        url: { type: "string" },
        server: { type: "string" },
        revision: { type: "string" },
        node: { type: "string" },
        "call-tools": { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    return fail((error as Error).message);
  }
}

const options = parseOptions();
const revisions = REVISIONS.filter((revision) =>
  [undefined, revision].includes(options.revision as Revision),
);
if (revisions.length === 0) fail(`--revision is one of ${REVISIONS.join(", ")}`);

/** As a shell would cut it, without the shell. */
const toWords = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");

async function visitStranger(place: Place): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const transport: Transport = "url" in place ? "HTTP" : "stdio";
  const setUp = async (): Promise<Setting> => ({ place, folder: createFolder() });
  for (const revision of revisions) {
    process.stderr.write(`visiting in ${revision}\n`);
    outcomes.push(await visit(setUp, { revision, transport, callsAll: options["call-tools"] }));
  }
  return outcomes;
}

/** Whether nothing is wrong. */
function report(name: string, outcomes: readonly Outcome[]): boolean {
  const findings = renderFindings(outcomes, "findings");
  const advice = renderFindings(outcomes, "advice");
  const isSpoken = outcomes.some(({ verdicts }) => verdicts.size > 0);
  print(`\n${name}\n`);
  print(isSpoken ? `${renderServer(outcomes)}\n\n${LEGEND}\n` : "It speaks none of these revisions.\n");
  for (const words of findings) print(`✗ ${words}`);
  for (const words of advice) print(`! ${words}`);
  print(`${count(findings, "finding")}, ${count(advice, "recommendation")}`);
  return isSpoken && findings.length === 0;
}

async function reportOurs(servers: readonly ContractServer[]): Promise<boolean> {
  const all = new Map<string, readonly Outcome[]>();
  const node = options.node === undefined ? undefined : findNode(options.node);
  let isSound = true;
  for (const given of servers) {
    const server = node === undefined ? given : { ...given, command: commandFor(node, given.command) };
    const outcomes: Outcome[] = [];
    for (const revision of revisions)
      outcomes.push(
        ...(await Promise.all([visitOurs(server, "stdio", revision), visitOurs(server, "HTTP", revision)])),
      );
    all.set(server.name, outcomes);
    isSound = report(server.name, outcomes) && isSound;
  }
  if (all.size > 1) print(`\n${renderServers(all)}`);
  return isSound;
}

/** The exit code. */
async function main(): Promise<number> {
  const { command, url, server, help } = options;
  const chosen = SERVERS.filter(({ name }) => server === "all" || name === server);
  if (server !== undefined && chosen.length === 0)
    fail(`--server is one of ${SERVERS.map(({ name }) => name).join(", ")}, or all`);
  if (help || (command ?? url ?? server) === undefined) {
    print(USAGE);
    return help ? 0 : EXIT_USAGE;
  }
  const isSound =
    command !== undefined
      ? report(command, await visitStranger({ command: toWords(command) }))
      : url !== undefined
        ? report(url, await visitStranger({ url }))
        : await reportOurs(chosen);
  return isSound ? 0 : 1;
}

try {
  process.exitCode = await main();
} finally {
  await tidyAtEnd();
}
