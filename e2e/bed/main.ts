import { renderServers, toReport, type VisitOutcome } from "@suite/check";
import { type Revision, REVISIONS } from "@suite/check/wires";

import type { ContractServer } from "../contract/contract-server.ts";
import { SERVERS } from "../contract/servers.ts";
import { tidyAtEnd } from "../support/afterwards.ts";
import { parseFlags, UsageError } from "../support/usage.ts";
import { commandFor, findNode } from "./other-node.ts";
import { OUR_CHECKS, visitOurs } from "./ours.ts";

const USAGE = `Puts our servers through all checks, over stdio and HTTP, with every official client.

  npm run e2e -- --server git      one of ours (all: --server all)

  --revision 2025-06-18   only this one
  --node 24               with another Node, which npm installs

Without a server, npm run e2e is the suite's own end-to-end tests. What follows -- then goes to vitest, such as the name of
a folder: npm run e2e -- e2e/tour. Its flags: npx vitest --help. Other servers: npx @suite/check
`;

const EXIT_USAGE = 64;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

interface Flags {
  readonly server?: string;
  readonly revision?: string;
  readonly node?: string;
  readonly help: boolean;
}

const readFlags = (): Flags =>
  parseFlags({
    options: {
      server: { type: "string" },
      revision: { type: "string" },
      node: { type: "string" },
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

/** Whether nothing is wrong. */
function report(name: string, outcomes: readonly VisitOutcome[]): boolean {
  const { findings, failure = "" } = toReport(outcomes);
  print(`\n${name}`);
  for (const { rule, words, revisions, example = "" } of findings)
    print(`✗ ${rule}: ${words} (${revisions.join(", ")}) ${example}`);
  if (failure !== "") print(failure);
  print(`${findings.length} findings`);
  return findings.length === 0 && failure === "";
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
  print(`\n${renderServers(all, OUR_CHECKS)}`);
  return isSound;
}

/** The exit code. */
async function main(): Promise<number> {
  const { server, help, node, revision } = readFlags();
  const revisions = chooseRevisions(revision);
  if (help || server === undefined) {
    print(USAGE);
    return help ? 0 : EXIT_USAGE;
  }
  const other = node === undefined ? undefined : findNode(node);
  return (await reportOurs(chooseServers(server), revisions, other)) ? 0 : 1;
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
