import { type EverythingJournal, journalOf } from "../support/calls.ts";
import type { Wire } from "../support/wire.ts";

/** What the "everything" server notes from now on; on a shared line other tests may have had it note things before. */
export async function freshJournal(
  wire: Wire,
): Promise<() => Promise<Pick<EverythingJournal, "ran" | "reported">>> {
  const before = await journalOf(wire);
  return async () => {
    const { ran, reported } = await journalOf(wire);
    return { ran: ran.slice(before.ran.length), reported: reported.slice(before.reported.length) };
  };
}
