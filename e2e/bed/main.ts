import type { ContractServer } from "../contract/contract-server.ts";
import { SERVERS } from "../contract/servers.ts";
import { tidyAtEnd } from "../support/afterwards.ts";
import { createPlace } from "../support/place.ts";
import { REVISIONS, type Revision } from "../support/revisions.ts";
import { parseFlags, UsageError } from "../support/usage.ts";
import { commandFor, findNode } from "./other-node.ts";
import { visitOurs } from "./ours.ts";
import { renderFindings, renderServer, renderServers } from "./report.ts";
import { type VisitOutcome, visitServer } from "./run.ts";
import type { BedSetting, ServerLocation, TransportName } from "./visit.ts";

const USAGE = `Puts a server through the same checks as those of the suite.

  npm run e2e -- --command "node my-server.js"     a program that speaks on its standard streams
  npm run e2e -- --url http://localhost:3000/mcp   a server that is there already
  npm run e2e -- --server git                      one of ours (all: --server all)

  --revision 2025-06-18   only this one
  --call-tools            call every tool, not only those that say they are read-only
  --node 24               with another Node, which npm installs; for ours only

Without a server, npm run e2e is the suite's own end-to-end tests. What follows -- then goes to vitest, such as the name of
a folder: npm run e2e -- e2e/tour. Its flags: npx vitest --help
`;

const LEGEND = "✓ works, ✗ is wrong, – is not offered; nothing where it does not speak the revision";
const EXIT_USAGE = 64;

const count = (items: readonly string[], noun: string): string =>
  `${items.length} ${noun}${items.length === 1 ? "" : "s"}`;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

interface Flags {
  readonly command?: string;
  readonly url?: string;
  readonly server?: string;
  readonly revision?: string;
  readonly node?: string;
  readonly "call-tools": boolean;
  readonly help: boolean;
}

const readFlags = (): Flags =>
  parseFlags({
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

function chooseRevisions(given: string | undefined): readonly Revision[] {
  const chosen = REVISIONS.filter((revision) => given === undefined || given === revision);
  if (chosen.length === 0) throw new UsageError(`--revision is one of ${REVISIONS.join(", ")}`);
  return chosen;
}

function chooseServers(given: string): readonly ContractServer[] {
  const chosen = SERVERS.filter(({ name }) => given === "all" || name === given);
  if (chosen.length > 0) return chosen;
  throw new UsageError(`--server is one of ${SERVERS.map(({ name }) => name).join(", ")}, or all`);
}

/** As a shell would cut it, without the shell. */
const toWords = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");

async function visitStranger(
  place: ServerLocation,
  revisions: readonly Revision[],
  callsAll: boolean,
): Promise<readonly VisitOutcome[]> {
  const outcomes: VisitOutcome[] = [];
  const transport: TransportName = "url" in place ? "HTTP" : "stdio";
  const setUp = async (): Promise<BedSetting> => ({ place, folder: createPlace() });
  for (const revision of revisions) {
    process.stderr.write(`visiting in ${revision}\n`);
    outcomes.push(await visitServer(setUp, { revision, transport, callsAll }));
  }
  return outcomes;
}

/** Whether nothing is wrong. */
function report(name: string, outcomes: readonly VisitOutcome[]): boolean {
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

async function reportOurs(
  servers: readonly ContractServer[],
  revisions: readonly Revision[],
  node: string | undefined,
): Promise<boolean> {
  const all = new Map<string, readonly VisitOutcome[]>();
  let isSound = true;
  for (const given of servers) {
    const server = node === undefined ? given : { ...given, command: commandFor(node, given.command) };
    const outcomes: VisitOutcome[] = [];
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
  const { command, url, server, help, node, "call-tools": callsAll, revision } = readFlags();
  const revisions = chooseRevisions(revision);
  const servers = server === undefined ? [] : chooseServers(server);
  if (help || (command ?? url ?? server) === undefined) {
    print(USAGE);
    return help ? 0 : EXIT_USAGE;
  }
  const place = command !== undefined ? { command: toWords(command) } : url !== undefined && { url };
  const isSound = place
    ? report(command ?? url ?? "", await visitStranger(place, revisions, callsAll))
    : await reportOurs(servers, revisions, node === undefined ? undefined : findNode(node));
  return isSound ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (thrown) {
  if (!(thrown instanceof UsageError)) throw thrown;
  process.stderr.write(`${thrown.message}\n`);
  process.exitCode = EXIT_USAGE;
} finally {
  await tidyAtEnd();
}
