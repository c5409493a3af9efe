import { Fault } from "@suite/server-kit/domain";
import type { WorkerEnd } from "./worker-process.ts";
import type { Job } from "./job.ts";

const UNKNOWN = "It was done either whole or not at all: look before you repeat it.";

/** What is to be said of requests whose process ended before they were answered. */
export const LOST_MEMORY = "The in-memory database was lost with it: the next statement finds it empty.";

/** A write happens in one transaction. */
export const toOutcome = (job: Job): string => (job.isStarted ? UNKNOWN : "Nothing was done.");

/** Nobody waits for the process's last messages here, so a write that was sent may have begun. */
export const toClosed = (job: Job): Fault =>
  new Fault("cancelled", `The database was closed. ${job.writes && job.isSent ? UNKNOWN : ""}`.trim());

export const toLostMemory = (): Fault =>
  new Fault("unavailable", `The database process ended. ${LOST_MEMORY}`, { retryable: false });

export const toOutOfMemory = (outcome: string): Fault =>
  new Fault(
    "too_large",
    `The statement needed more memory than it may have, and was stopped. ${outcome}`.trim(),
    {
      hint: "Ask for less: smaller values, fewer rows to sort or to join.",
    },
  );

export const toDied = (outcome: string, { lastWords }: WorkerEnd): Fault =>
  new Fault("unavailable", `The database process ended unexpectedly. ${outcome}`.trim(), {
    cause: lastWords,
  });

export const toUnstartable = ({ lastWords }: WorkerEnd): Fault =>
  new Fault("unavailable", "The database process could not be started.", {
    retryable: false,
    hint: "The operator finds out why with --doctor.",
    cause: lastWords,
  });
