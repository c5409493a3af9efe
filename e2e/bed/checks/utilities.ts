import type { ContractStage } from "../../contract/contract-server.ts";
import { listen } from "../../support/asking.ts";
import { listAll } from "../../support/calls.ts";
import { type Fields, isAnswerTo, isOf, type Message } from "../../support/message.ts";
import { isModern, META_LOG_LEVEL } from "../../support/revisions.ts";
import { ask, type BedCheck, type BedVisit, callTool, codeOf } from "../visit.ts";
import { callsOf } from "./tools.ts";

/** Something that every server answers. */
const isThere = ({ wire, revision }: BedVisit): Promise<Message> =>
  wire.request(isModern(revision) ? "server/discover" : "ping");

export const logging: BedCheck = {
  capability: "logging",
  async run(visit, { find, advise }) {
    const { wire, capabilities, revision, stage } = visit;
    if (capabilities["logging"] === undefined) return "absent";
    const wrong = isModern(revision)
      ? await wire.request("tools/list", {}, { meta: { [META_LOG_LEVEL]: "loud" } })
      : await wire.request("logging/setLevel", { level: "loud" });
    if (codeOf(wrong) !== "-32602") advise(`An invalid log level gets ${codeOf(wrong)} instead of -32602`);
    if (!isModern(revision)) {
      const { error } = await wire.request("logging/setLevel", { level: "info" });
      if (error) find(`logging/setLevel fails: ${error.message}`);
    }
    if (!stage?.logged) return undefined;
    const before = wire.heard.filter(isOf("notifications/message")).length;
    const meta = isModern(revision) ? { [META_LOG_LEVEL]: "info" } : {};
    const { name, args } = stage.logged;
    await ask(visit, "tools/call", { name, arguments: args, _meta: meta });
    if (wire.heard.filter(isOf("notifications/message")).length === before)
      find(`${name} says nothing in the log`);
    return undefined;
  },
};

const isUpdateOf =
  (uri: string) =>
  ({ method, params }: Message): boolean =>
    method === "notifications/resources/updated" && params?.["uri"] === uri;

/** Watching may begin a moment after the answer, and a busy machine takes its time: it is told again, ever more patiently. */
const PATIENCE_MS: readonly number[] = [500, 1000, 2000, 4000, 8000, 16_000];

/** Makes the change until it is heard of, and says whether that was so. */
export async function makeChange(
  change: ContractStage["change"],
  call: (name: string, args: Fields) => Promise<unknown>,
  isHeard: (patienceMs: number) => Promise<boolean>,
): Promise<boolean> {
  if (!change) return true;
  for (const patience of PATIENCE_MS) {
    if ("by" in change) change.by();
    else await call(change.call.name, change.call.args);
    if (await isHeard(patience)) return true;
  }
  return false;
}

const isHeardOf = (visit: BedVisit, uri: string): Promise<boolean> =>
  makeChange(
    visit.stage?.change,
    (name, args) => callTool(visit, name, args),
    (patience) =>
      visit.wire.hear(isUpdateOf(uri), patience).then(
        () => true,
        () => false,
      ),
  );

export const subscriptions: BedCheck = {
  capability: "subscriptions",
  async run(visit, { find }) {
    const { wire, capabilities, revision, stage } = visit;
    const offer = capabilities["resources"] as { readonly subscribe?: boolean } | undefined;
    if (offer?.subscribe !== true) return "absent";
    const [first] = await listAll(wire, "resources/list");
    const uri = stage?.change?.uri ?? stage?.uris?.[0] ?? (first?.["uri"] as string | undefined);
    if (uri === undefined) return "absent";
    if (isModern(revision)) {
      const id = await listen(wire, { resourceSubscriptions: [uri] });
      if (!(await isHeardOf(visit, uri))) find(`Nobody heard that ${uri} changed`);
      wire.cancel(id);
      return undefined;
    }
    const subscribed = await wire.request("resources/subscribe", { uri });
    if (subscribed.error) find(`${uri} cannot be subscribed to: ${subscribed.error.message}`);
    else if (!(await isHeardOf(visit, uri))) find(`Nobody heard that ${uri} changed`);
    const { error } = await wire.request("resources/unsubscribe", { uri });
    if (error) find(`${uri} cannot be unsubscribed from: ${error.message}`);
    return undefined;
  },
};

export const progress: BedCheck = {
  capability: "progress",
  async run({ wire, stage }, { find }) {
    if (!stage?.slow?.reports) {
      return wire.heard.some(isOf("notifications/progress")) ? undefined : "absent";
    }
    const { name, args } = stage.slow;
    const meta = { progressToken: "bed" };
    const id = wire.send("tools/call", { name, arguments: args }, { meta });
    const reported = await wire.hear(isOf("notifications/progress")).catch(() => undefined);
    if (!reported) find(`${name} takes long and reports nothing`);
    wire.cancel(id);
    return undefined;
  },
};

export const cancellation: BedCheck = {
  capability: "cancellation",
  async run(visit, { find }) {
    const { wire, stage } = visit;
    const slow = stage?.slow;
    // What does not take long may be answered before it is cancelled.
    const call = slow ?? callsOf(visit)[0];
    if (!call) return "absent";
    const id = wire.send("tools/call", { name: call.name, arguments: call.args });
    if (slow) await wire.quiet(200);
    wire.cancel(id);
    const { result } = await isThere(visit);
    if (!result) find("It does not answer any more after a cancellation");
    if (slow && wire.heard.some(isAnswerTo(id))) find(`${slow.name} was cancelled and answers`);
    return undefined;
  },
};

const asking = (capability: string, method: string): BedCheck => ({
  capability,
  async run({ asked, stage, revision }, { find }) {
    if (asked.has(method)) return undefined;
    if (stage?.asks?.[method]?.includes(revision)) find(`${method} was never asked`);
    return "absent";
  },
});

/** What was asked in the course of everything before. */
export const questions: readonly BedCheck[] = [
  asking("roots", "roots/list"),
  asking("sampling", "sampling/createMessage"),
  asking("elicitation", "elicitation/create"),
];
