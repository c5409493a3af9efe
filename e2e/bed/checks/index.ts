import { faultsIn } from "../../support/faults.ts";
import { schemaFaultsIn } from "../schema-faults.ts";
import type { BedCheck } from "../visit.ts";
import { officialClients } from "./clients.ts";
import { lifecycle } from "./lifecycle.ts";
import { lists } from "./lists.ts";
import { completion } from "./completion.ts";
import { prompts } from "./prompts.ts";
import { resources, templates } from "./resources.ts";
import { calls, contract, tools } from "./tools.ts";
import { cancellation, logging, progress, questions, subscriptions } from "./utilities.ts";

/** What a fault is about, without the message it was met in. */
function toHabits(fault: string): readonly string[] {
  const paths = /^Unknown in \S+ \((.*?)\): /.exec(fault)?.[1];
  const [style = ""] = fault.split(":");
  return paths?.split(", ").map((path) => `It says ${path}, which the revision does not know`) ?? [style];
}

/** Everything that was said since the beginning. */
const messages: BedCheck = {
  capability: "every message",
  async run({ wire, revision, stage }, { find, advise }) {
    const faults = faultsIn(wire);
    // What is said beyond the revision, and at length, is allowed to others.
    const isAllowed = (fault: string): boolean =>
      !stage && /^(Unknown in|An error message is not)/.test(fault);
    for (const fault of new Set(faults.filter(isAllowed).flatMap(toHabits))) advise(fault);
    for (const fault of faults.filter((one) => !isAllowed(one))) find(fault);
    for (const fault of new Set(schemaFaultsIn(wire, revision))) find(fault);
    return undefined;
  },
};

/** In the order in which a visitor meets them. */
export const CHECKS: readonly BedCheck[] = [
  lifecycle,
  lists,
  tools,
  calls,
  contract,
  resources,
  templates,
  prompts,
  completion,
  logging,
  subscriptions,
  progress,
  cancellation,
  ...questions,
  messages,
  officialClients,
];
