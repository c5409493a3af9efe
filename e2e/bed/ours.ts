import type { ContractServer } from "../contract/contract-server.ts";
import { createFolder } from "../contract/program.ts";
import type { Revision } from "../support/revisions.ts";
import { type Outcome, type Transport, visit } from "./run.ts";

/** Visits a server of ours with everything that is known of it. */
export async function visitOurs(
  { command: [node = "", ...program], prepare }: ContractServer,
  transport: Transport,
  revision: Revision,
  otherNode: string = node,
): Promise<Outcome> {
  const folder = createFolder();
  const stage = await prepare(folder);
  // Whom it cannot ask, it refuses what it must ask for.
  const confirm = revision >= "2025-06-18" ? ["--confirm"] : [];
  const command = [otherNode, ...program, ...confirm, ...stage.args];
  return visit({ command }, { revision, transport, stage, folder });
}
