import { CHECKS } from "../checks/index.ts";
import {
  beAsked,
  type Check,
  firstLineOf,
  type Note,
  type OpenServer,
  type Setting,
  type TransportName,
  type Visit,
} from "../checks/visit.ts";
import { type Level, ruleOf } from "../rules/rules.ts";
import type { AnyWire } from "../wires/any-wire.ts";
import { type ListedTool, listTools } from "../wires/calls.ts";
import type { Fields } from "../wires/message.ts";
import { PATIENCE_MS } from "../wires/patience.ts";
import { RevisionRefused } from "../wires/program-wire.ts";
import { isModern, type Revision } from "../wires/revisions.ts";
import { openServer } from "./open-server.ts";

export interface VisitOptions {
  readonly revision: Revision;
  readonly transport: TransportName;
  /** Whether tools may be called that are not said to be read-only. */
  readonly callsAll?: boolean;
  /** All of them, unless told otherwise. */
  readonly checks?: readonly Check[];
  /** How long a single answer may take. */
  readonly patienceMs?: number;
  /** Ends the visit: what was not checked by then is said. */
  readonly signal?: AbortSignal;
}

export type Verdict = "works" | "fails" | "absent";

/** A rule that a server breaks, and what shows it. */
export interface Finding {
  readonly rule: string;
  readonly level: Level;
  /** The name of the check that found it. */
  readonly check: string;
  readonly words: string;
  /** Where it was seen: a part of a message, a line, a file. */
  readonly example?: string;
}

/** How one visit went. */
export interface VisitOutcome {
  readonly transport: TransportName;
  readonly revision: Revision;
  /** Nothing where the server does not speak the revision. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly findings: readonly Finding[];
  /** As the server names itself. */
  readonly server?: string;
  /** As they were listed. */
  readonly tools: readonly ListedTool[];
  /** Why it could not be visited, with what the program said itself. */
  readonly failure?: string;
  /** What it said when it was asked for the revision, and does not speak it. */
  readonly refusal?: string;
}

type MutableOutcome = VisitOutcome & {
  readonly verdicts: Map<string, Verdict>;
  readonly findings: Finding[];
  tools: readonly ListedTool[];
  server?: string;
  failure?: string;
  refusal?: string;
};

const MOST_CHARACTERS = 2000;

/** One client that looks at everything in one revision. `prepare` makes what the server works on anew. */
export async function visitServer(
  prepare: () => Promise<Setting>,
  options: VisitOptions,
): Promise<VisitOutcome> {
  const { revision, transport, patienceMs = PATIENCE_MS, signal } = options;
  const outcome: MutableOutcome = { transport, revision, verdicts: new Map(), findings: [], tools: [] };
  if (signal?.aborted) {
    noteIn(outcome, "lifecycle")("check/finished", "There was no time for the revision");
    return outcome;
  }
  const setting = await prepare();
  try {
    const opened = await openServer(setting.place, revision, patienceMs);
    const giveUp = (): void => opened.wire.giveUp("Its time is up");
    signal?.addEventListener("abort", giveUp, { once: true });
    try {
      await look(opened, setting, prepare, options, outcome);
    } finally {
      signal?.removeEventListener("abort", giveUp);
      const note = noteIn(outcome, "the end");
      await opened
        .end(outcome.verdicts.size > 0 ? note : () => undefined)
        .catch((error: unknown) => note("check/answered", firstLineOf(error)));
    }
  } catch (error) {
    const words = withoutOwnWords(error);
    if (error instanceof RevisionRefused) outcome.refusal = words;
    else outcome.failure = words;
  } finally {
    await setting.end?.();
  }
  return outcome;
}

/** Each rule and words once, with the first example. */
const noteIn =
  ({ findings }: MutableOutcome, check: string): Note =>
  (rule, words, example) => {
    if (findings.some((one) => one.rule === rule && one.words === words)) return;
    const shown = example === undefined ? {} : { example: example.slice(0, MOST_CHARACTERS) };
    findings.push({ rule, level: ruleOf(rule).level, check, words, ...shown });
  };

async function look(
  { wire }: OpenServer,
  { known, folder, slow = new Set() }: Setting,
  again: () => Promise<Setting>,
  { revision, transport, callsAll = false, checks = CHECKS, patienceMs = PATIENCE_MS, signal }: VisitOptions,
  outcome: MutableOutcome,
): Promise<void> {
  const introduction = await introductionIn(wire, revision);
  if (!introduction) return;
  outcome.server = nameIn(introduction);
  const visit: Visit = {
    wire,
    transport,
    revision,
    known,
    folder,
    slow,
    callsAll,
    again,
    capabilities: (introduction["capabilities"] ?? {}) as Fields,
    open: (place) => openServer(place, revision, patienceMs),
    asked: new Set(),
    tools: [],
    results: [],
  };
  beAsked(visit);
  const attempt = async (name: string, run: Check["run"]): Promise<void> => {
    let isSound = true;
    const note: Note = (...words) => {
      isSound = false;
      noteIn(outcome, name)(...words);
    };
    const offered = await run(visit, note).catch((error: unknown) => {
      // What fits no schema may look like anything, and the checks take it for what it should be.
      if (error instanceof TypeError)
        note("schema/messages", "It says something that cannot be read as what it should be", error.message);
      else if (!signal?.aborted) note("check/answered", firstLineOf(error));
    });
    outcome.verdicts.set(name, isSound ? (offered ?? "works") : "fails");
  };
  if (visit.capabilities["tools"] !== undefined)
    await attempt("tools", async () => {
      visit.tools = outcome.tools = await listTools(wire);
      return undefined;
    });
  for (const { name, run } of checks) {
    if (signal?.aborted)
      return noteIn(outcome, name)("check/finished", `There was no time for ${name} and what follows it`);
    await attempt(name, run);
  }
}

/** With what the program said, which is why it cannot be visited. */
const withoutOwnWords = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .split("\n")
    .filter((line) => !line.startsWith("→"))
    .join("\n  ")
    .slice(0, MOST_CHARACTERS);

function nameIn({ serverInfo, _meta }: Fields): string {
  const info = serverInfo ?? (_meta as Fields | undefined)?.["io.modelcontextprotocol/serverInfo"];
  const { name, version } = (info ?? {}) as Fields;
  return `${String(name)} ${String(version)}`;
}

/** Nothing where the modern era is not spoken: a server of the legacy one does not know the question. */
async function introductionIn(wire: AnyWire, revision: Revision): Promise<Fields | undefined> {
  if (!isModern(revision))
    return wire.heard.find(({ result }) => result?.["protocolVersion"] !== undefined)?.result;
  const { result, error } = await wire.request("server/discover");
  // Not the answer of a server that does not know the question, but of what stands before it.
  if (error?.code === 0 && !/^HTTP 40[045]/.test(error.message)) throw new Error(error.message);
  const spoken = (result?.["supportedVersions"] ?? []) as readonly unknown[];
  return spoken.includes(revision) ? result : undefined;
}
