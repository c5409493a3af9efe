import type { ContractTool } from "../contract/tool.ts";
import { HttpProgram } from "../http/http-program.ts";
import { capableIn } from "../support/asking.ts";
import { listAll } from "../support/calls.ts";
import type { AnyWire } from "../support/any-wire.ts";
import type { Fields } from "../support/message.ts";
import { isModern, type Revision } from "../support/revisions.ts";
import { RevisionRefused, Wire } from "../support/wire.ts";
import { CHECKS } from "./checks/index.ts";
import { RemoteWire } from "./remote-wire.ts";
import {
  type Another,
  beAsked,
  type BedCheck,
  type BedSetting,
  type BedVisit,
  firstLineOf,
  type Notes,
  type ServerLocation,
  type TransportName,
} from "./visit.ts";

export interface BedVisitOptions {
  readonly revision: Revision;
  readonly transport: TransportName;
  readonly callsAll?: boolean;
  /** All of them, unless told otherwise. */
  readonly checks?: readonly BedCheck[];
}

export type Verdict = "works" | "fails" | "absent";

/** How one visit went. */
export interface VisitOutcome {
  readonly transport: TransportName;
  readonly revision: Revision;
  /** Nothing where the server does not speak the revision. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly findings: readonly string[];
  readonly advice: readonly string[];
}

/** An open wire, and how it ends. */
interface Opened {
  readonly wire: AnyWire;
  readonly end: (notes: Notes) => Promise<void>;
}

async function openStdio(command: readonly string[], revision: Revision): Promise<Opened> {
  const wire = await Wire.open(command, { revision, capabilities: capableIn(revision) });
  return {
    wire,
    async end({ find, advise }) {
      // The specification only recommends that servers end with their input, and says nothing of exit codes.
      const exit = await wire.end().catch(() => undefined);
      if (!exit) advise("It keeps running after stdin closes");
      else if (exit.code !== 0)
        advise(`It ends with ${exit.signal ?? `exit code ${exit.code}`} when its input ends`);
      if (wire.unfinishedLine !== "") find("Its last line is cut short");
    },
  };
}

/** The address of a server that listens, and how to stop it if it was started for this. */
async function reach(
  place: ServerLocation,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  if ("url" in place) return { url: place.url, stop: async () => undefined };
  const program = await HttpProgram.start([], place.command);
  return { url: program.url.href, stop: () => program.stop() };
}

async function openHttp(place: ServerLocation, revision: Revision): Promise<Opened> {
  const { url, stop } = await reach(place);
  try {
    const wire = await RemoteWire.open(url, revision, capableIn(revision));
    return {
      wire,
      async end() {
        await wire.end();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startAnother(setting: BedSetting, transport: TransportName): Promise<Another> {
  const { place } = setting;
  if (transport === "stdio" && "command" in place)
    return { ...setting, target: place.command, end: async () => undefined };
  const { url, stop } = await reach(place);
  return { ...setting, target: new URL(url), end: stop };
}

/** One client that looks at everything in one revision. `prepare` makes what the server works on anew. */
export async function visitServer(
  prepare: () => Promise<BedSetting>,
  options: BedVisitOptions,
): Promise<VisitOutcome> {
  const { revision, transport, callsAll = false, checks = CHECKS } = options;
  const { place, stage, folder } = await prepare();
  const verdicts = new Map<string, Verdict>();
  const findings: string[] = [];
  const advice: string[] = [];
  const outcome = { transport, revision, verdicts, findings, advice };
  const notesOn = (subject: string): Notes => ({
    find: (words) => void findings.push(`${subject}: ${words}`),
    advise: (words) => void advice.push(`${subject}: ${words}`),
  });
  const opened = await open(place, transport, revision).catch((error: unknown) => {
    if (!(error instanceof RevisionRefused)) findings.push(withoutOwnWords(error));
    return undefined;
  });
  if (!opened) return outcome;
  const { wire, end } = opened;
  try {
    const asked = new Set<string>();
    const again = async (): Promise<Another> => startAnother(await prepare(), transport);
    const seen: BedVisit = {
      wire,
      transport,
      revision,
      capabilities: {},
      stage,
      callsAll,
      folder,
      again,
      asked,
      tools: [],
      results: [],
    };
    beAsked(seen);
    const capabilities = await capabilitiesIn(wire, revision);
    if (!capabilities) return outcome;
    seen.capabilities = capabilities;
    if (capabilities["tools"] !== undefined) seen.tools = await listAll<ContractTool>(wire, "tools/list");
    for (const check of checks) {
      const before = findings.length;
      const notes = notesOn(check.capability);
      const offered = await check.run(seen, notes).catch((error: unknown) => notes.find(firstLineOf(error)));
      verdicts.set(check.capability, findings.length > before ? "fails" : (offered ?? "works"));
    }
  } catch (error) {
    findings.push(withoutOwnWords(error));
  } finally {
    const notes = notesOn("the end");
    await end(notes).catch((error: unknown) => notes.find(firstLineOf(error)));
  }
  return outcome;
}

/** With what the program said, which is why it cannot be visited. */
const withoutOwnWords = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .split("\n")
    .filter((line) => !line.startsWith("→"))
    .join("\n  ")
    .slice(0, 2000);

const open = (place: ServerLocation, transport: TransportName, revision: Revision): Promise<Opened> =>
  transport === "stdio" && "command" in place
    ? openStdio(place.command, revision)
    : openHttp(place, revision);

/** Nothing where the modern era is not spoken: a server of the legacy one does not know the question. */
async function capabilitiesIn(wire: AnyWire, revision: Revision): Promise<Fields | undefined> {
  if (!isModern(revision)) return wire.heard[0]?.result?.["capabilities"] as Fields;
  const { result } = await wire.request("server/discover");
  const spoken = (result?.["supportedVersions"] ?? []) as readonly unknown[];
  return spoken.includes(revision) ? (result?.["capabilities"] as Fields) : undefined;
}
