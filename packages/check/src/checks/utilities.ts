import { listen } from "../wires/asking.ts";
import { type Fields, isAnswerTo, isOf, type Message } from "../wires/message.ts";
import { isModern, META_LOG_LEVEL } from "../wires/revisions.ts";
import { listOf } from "./lists.ts";
import { ask, callTool, type Check, codeOf, isThere, type KnownServer, type Visit } from "./visit.ts";
import { callsOf } from "./tools.ts";

const METHOD_NOT_FOUND = -32_601;

export const logging: Check = {
  name: "logging",
  async run(visit, note) {
    const { wire, capabilities, revision, known } = visit;
    if (capabilities["logging"] === undefined) return "absent";
    const wrong = isModern(revision)
      ? await wire.request("tools/list", {}, { meta: { [META_LOG_LEVEL]: "loud" } })
      : await wire.request("logging/setLevel", { level: "loud" });
    if (codeOf(wrong) !== "-32602")
      note("logging/set-level-invalid", `An invalid log level gets ${codeOf(wrong)} instead of -32602`);
    if (!isModern(revision)) {
      const { error } = await wire.request("logging/setLevel", { level: "info" });
      if (error) note("logging/set-level", `logging/setLevel fails: ${error.message}`);
    }
    if (!known?.logged) return undefined;
    const before = wire.heard.filter(isOf("notifications/message")).length;
    const meta = isModern(revision) ? { [META_LOG_LEVEL]: "info" } : {};
    const { name, args } = known.logged;
    await ask(visit, "tools/call", { name, arguments: args, _meta: meta });
    if (wire.heard.filter(isOf("notifications/message")).length === before)
      note("known", `${name} says nothing in the log`);
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
  change: KnownServer["change"],
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

const isHeardOf = (visit: Visit, uri: string): Promise<boolean> =>
  makeChange(
    visit.known?.change,
    (name, args) => callTool(visit, name, args),
    (patience) =>
      visit.wire.hear(isUpdateOf(uri), patience).then(
        () => true,
        () => false,
      ),
  );

export const subscriptions: Check = {
  name: "subscriptions",
  async run(visit, note) {
    const { wire, capabilities, revision, known } = visit;
    const offer = capabilities["resources"] as { readonly subscribe?: boolean } | undefined;
    if (offer?.subscribe !== true) return "absent";
    const [first] = await listOf(visit, "resources/list");
    const uri = known?.change?.uri ?? known?.uris?.[0] ?? (first?.["uri"] as string | undefined);
    if (uri === undefined) return "absent";
    if (isModern(revision)) {
      const id = await listen(wire, { resourceSubscriptions: [uri] });
      if (!(await isHeardOf(visit, uri))) note("known", `Nobody heard that ${uri} changed`);
      wire.cancel(id);
      return undefined;
    }
    // Some resources may have nothing to be told of; of a known one it is known.
    const refuse = ({ error }: Message, what: string): void => {
      if (error && known) note("known", `${uri} cannot be ${what}: ${error.message}`);
      else if (error?.code === METHOD_NOT_FOUND) note("resources/subscribe", `Resources cannot be ${what}`);
    };
    const subscribed = await wire.request("resources/subscribe", { uri });
    refuse(subscribed, "subscribed to");
    if (!subscribed.error && !(await isHeardOf(visit, uri)))
      note("known", `Nobody heard that ${uri} changed`);
    refuse(await wire.request("resources/unsubscribe", { uri }), "unsubscribed from");
    return undefined;
  },
};

export const progress: Check = {
  name: "progress",
  async run({ wire, known }, note) {
    if (!known?.slow?.reports) {
      return wire.heard.some(isOf("notifications/progress")) ? undefined : "absent";
    }
    const { name, args } = known.slow;
    const meta = { progressToken: "check" };
    const id = wire.send("tools/call", { name, arguments: args }, { meta });
    const reported = await wire.hear(isOf("notifications/progress")).catch(() => undefined);
    if (!reported) note("known", `${name} takes long and reports nothing`);
    wire.cancel(id);
    return undefined;
  },
};

export const cancellation: Check = {
  name: "cancellation",
  async run(visit, note) {
    const { wire, known } = visit;
    const slow = known?.slow;
    // What does not take long may be answered before it is cancelled.
    const call = slow ?? callsOf(visit)[0];
    if (!call) return "absent";
    const id = wire.send("tools/call", { name: call.name, arguments: call.args });
    if (slow) await wire.quiet(200);
    wire.cancel(id);
    const { result } = await isThere(visit);
    if (!result) note("cancellation/survived", "It does not answer any more after a cancellation");
    if (slow && wire.heard.some(isAnswerTo(id))) note("known", `${slow.name} was cancelled and answers`);
    return undefined;
  },
};

const asking = (name: string, method: string): Check => ({
  name,
  async run({ asked, known, revision }, note) {
    if (asked.has(method)) return undefined;
    if (known?.asks?.[method]?.includes(revision)) note("known", `${method} was never asked`);
    return "absent";
  },
});

/** What was asked in the course of everything before. */
export const questions: readonly Check[] = [
  asking("roots", "roots/list"),
  asking("sampling", "sampling/createMessage"),
  asking("elicitation", "elicitation/create"),
];
