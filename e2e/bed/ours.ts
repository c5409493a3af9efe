import {
  CHECKS,
  type Check,
  type Setting,
  type TransportName,
  type VisitOutcome,
  visitServer,
} from "@suite/check";
import type { Revision } from "@suite/check/wires";

import type { ContractServer } from "../contract/contract-server.ts";
import { HttpProgram } from "../http/http-program.ts";
import { toBareEnvironment } from "../support/child.ts";
import { createPlace } from "../support/place.ts";
import { agentContract } from "./agent-contract.ts";
import { officialClients } from "./official-clients.ts";

/** Those for any server, what ours promise to agents, and the clients that nobody here wrote. */
export const OUR_CHECKS: readonly Check[] = CHECKS.flatMap((check) =>
  check.name === "tool calls" ? [check, agentContract] : [check],
).concat(officialClients);

/** Visits a server of ours with everything that is known of it. */
export async function visitOurs(
  { command, prepare }: Pick<ContractServer, "command" | "prepare">,
  transport: TransportName,
  revision: Revision,
  checks: readonly Check[] = OUR_CHECKS,
): Promise<VisitOutcome> {
  // Whom it cannot ask, it refuses what it must ask for.
  const confirm = revision >= "2025-06-18" ? ["--confirm"] : [];
  const setUp = async (): Promise<Setting> => {
    const folder = createPlace();
    const { args, ...known } = await prepare(folder);
    const whole = [...command, ...confirm, ...args];
    if (transport === "stdio") return { place: { command: whole, env: toBareEnvironment() }, known, folder };
    const program = await HttpProgram.start([], whole);
    return { place: { url: program.url.href }, known, folder, end: () => program.stop() };
  };
  return visitServer(setUp, { revision, transport, checks });
}
