import type { ContractServer } from "../contract/contract-server.ts";
import { createPlace } from "../support/place.ts";
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
    const folder = createPlace();
    const stage = await prepare(folder);
    return { place: { command: [...command, ...confirm, ...stage.args] }, stage, folder };
  };
  return visitServer(setUp, { revision, transport, ...(checks && { checks }) });
}
