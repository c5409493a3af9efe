import type { ContractServer } from "../contract/contract-server.ts";
import { createFolder } from "../contract/program.ts";
import type { Revision } from "../support/revisions.ts";
import { type VisitOutcome, visitServer } from "./run.ts";
import type { BedCheck, BedSetting, TransportName } from "./visit.ts";

/** Visits a server of ours with everything that is known of it. */
export async function visitOurs(
  { command, prepare }: Pick<ContractServer, "command" | "prepare">,
  transport: TransportName,
  revision: Revision,
  checks?: readonly BedCheck[],
): Promise<VisitOutcome> {
  // Whom it cannot ask, it refuses what it must ask for.
  const confirm = revision >= "2025-06-18" ? ["--confirm"] : [];
  const setUp = async (): Promise<BedSetting> => {
    const folder = createFolder();
    const stage = await prepare(folder);
    return { place: { command: [...command, ...confirm, ...stage.args] }, stage, folder };
  };
  return visitServer(setUp, { revision, transport, ...(checks && { checks }) });
}
