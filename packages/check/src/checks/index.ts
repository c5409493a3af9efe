import { findFaults, findMisfits } from "../rules/faults.ts";
import { textOf } from "../wires/calls.ts";
import { isOf, type Message } from "../wires/message.ts";
import { completion } from "./completion.ts";
import { hostile } from "./hostile.ts";
import { http } from "./http.ts";
import { lifecycle } from "./lifecycle.ts";
import { lists } from "./lists.ts";
import { prompts } from "./prompts.ts";
import { resources, templates } from "./resources.ts";
import { calls, presentation, tools } from "./tools.ts";
import { cancellation, logging, progress, questions, subscriptions } from "./utilities.ts";
import type { Check, Note, Visit } from "./visit.ts";

/** What only the inside of a server knows. */
const INTERNALS = /\n\s+at \S.*:\d+:\d+|Traceback \(most recent call last\)|[\\/]node_modules[\\/]/;

/** What a notification needs to be declared for. */
const DECLARED: readonly (readonly [method: string, capability: string, member?: string])[] = [
  ["notifications/message", "logging"],
  ["notifications/tools/list_changed", "tools", "listChanged"],
  ["notifications/prompts/list_changed", "prompts", "listChanged"],
  ["notifications/resources/list_changed", "resources", "listChanged"],
  ["notifications/resources/updated", "resources", "subscribe"],
];

/** Everything that was said since the beginning. */
const messages: Check = {
  name: "every message",
  async run(visit, note) {
    const { wire, revision } = visit;
    for (const { rule, words, message } of findFaults(wire)) {
      const paths = /^Unknown in \S+ \((.*)\)$/.exec(words)?.[1]?.split(", ");
      for (const path of paths ?? [])
        note(rule, `It says ${path}, which the revision does not know`, JSON.stringify(message));
      if (!paths) note(rule, words, JSON.stringify(message));
    }
    for (const words of findMisfits(wire, revision)) note("schema/messages", words);
    noteUndeclared(visit, note);
    const shown = wire.heard.find((message) => INTERNALS.test(saidOnFailure(message)));
    if (shown) note("agents/internals", "An error shows the code that it ran in", saidOnFailure(shown));
    return undefined;
  },
};

const saidOnFailure = (message: Message): string =>
  message.error?.message ?? (message.result?.["isError"] === true ? textOf(message) : "");

function noteUndeclared({ wire, capabilities }: Visit, note: Note): void {
  for (const [method, capability, member] of DECLARED) {
    const declared = capabilities[capability] as Record<string, unknown> | undefined;
    const isDeclared = declared !== undefined && (member === undefined || declared[member] === true);
    const [name, what] = [capability, member === undefined ? "" : `.${member}`];
    if (!isDeclared && wire.heard.some(isOf(method)))
      note(
        "lifecycle/only-negotiated-capabilities",
        `It sends ${method} and does not declare ${name}${what}`,
      );
  }
}

/** In the order in which a visitor meets them. */
export const CHECKS: readonly Check[] = [
  lifecycle,
  lists,
  tools,
  presentation,
  calls,
  resources,
  templates,
  prompts,
  completion,
  logging,
  subscriptions,
  progress,
  cancellation,
  ...questions,
  hostile,
  http,
  messages,
];
