import { Fault } from "@suite/server-kit/domain";

/** A cursor that leads nowhere any more. */
export const expired = (reason: string): Fault =>
  new Fault("precondition_failed", `The result cannot be continued: ${reason} since the last page.`, {
    hint: "Start again without the cursor. An ORDER BY on a key and a WHERE beyond its last value need no cursor.",
  });
