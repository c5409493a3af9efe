import type { Stage } from "../contract/contract-server.ts";
import type { ContractTool } from "../contract/tool.ts";
import { HttpProgram } from "../http/http-program.ts";
import { CAPABLE } from "../support/asking.ts";
import { listAll } from "../support/calls.ts";
import type { Line } from "../support/line.ts";
import type { Fields } from "../support/message.ts";
import { isModern, type Revision } from "../support/revisions.ts";
import { RevisionRefused, Wire } from "../support/wire.ts";
import { CHECKS } from "./checks/index.ts";
import { HttpLine } from "./http-line.ts";
import { beAsked, type Visit } from "./visit.ts";

export type Transport = "stdio" | "HTTP";

/** Where a server is: a program to start, or one that is there already. */
export type Place =
  | { readonly command: readonly string[]; readonly env?: NodeJS.ProcessEnv }
  | { readonly url: string };

export interface VisitOptions {
  readonly revision: Revision;
  readonly transport: Transport;
  readonly stage?: Stage;
  readonly callsAll?: boolean;
  readonly folder: string;
}

export type Verdict = "works" | "fails" | "absent";

/** How one visit went. */
export interface Outcome {
  readonly transport: Transport;
  readonly revision: Revision;
  /** Nothing where the server does not speak the revision. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly findings: readonly string[];
  readonly advice: readonly string[];
}

/** How long any answer may take. */
const PATIENCE_MS = 20_000;

/** An open line, and how it ends; what is wrong with the end is a finding. */
interface Opened {
  readonly line: Line;
  readonly end: () => Promise<string | undefined>;
}

async function openStdio(
  place: { command: readonly string[]; env?: NodeJS.ProcessEnv },
  revision: Revision,
): Promise<Opened> {
  const { command, env = {} } = place;
  const wire = await Wire.open(command, { revision, env, capabilities: CAPABLE, timeoutMs: PATIENCE_MS });
  return {
    line: wire,
    async end() {
      const { code, signal } = await wire.end();
      if (code !== 0) return `It ends with ${signal ?? `exit code ${code}`} when its input ends`;
      return wire.rawLines.length === 0 || wire.unfinishedLine !== ""
        ? "Its last line is cut short"
        : undefined;
    },
  };
}

async function openHttp(place: Place, revision: Revision): Promise<Opened> {
  const program = "url" in place ? undefined : await HttpProgram.start([], place.command, place.env);
  const url = "url" in place ? place.url : (program?.url.href ?? "");
  try {
    const line = await HttpLine.open(url, revision, CAPABLE, PATIENCE_MS);
    return {
      line,
      async end() {
        await line.end();
        await program?.stop();
        return undefined;
      },
    };
  } catch (error) {
    await program?.stop();
    throw error;
  }
}

/** One client that looks at everything in one revision. */
export async function visit(place: Place, options: VisitOptions): Promise<Outcome> {
  const { revision, transport, stage, callsAll = false, folder } = options;
  const verdicts = new Map<string, Verdict>();
  const findings: string[] = [];
  const advice: string[] = [];
  const outcome = { transport, revision, verdicts, findings, advice };
  const opened = await open(place, transport, revision).catch((error: unknown) => {
    if (!(error instanceof RevisionRefused)) findings.push(firstLineOf(error));
    return undefined;
  });
  if (!opened) return outcome;
  const { line, end } = opened;
  try {
    const asked = new Set<string>();
    const seen: Visit = { line, revision, capabilities: {}, stage, callsAll, folder, asked, tools: [] };
    beAsked(seen);
    const capabilities = await capabilitiesIn(line, revision);
    if (!capabilities) return outcome;
    seen.capabilities = capabilities;
    if (capabilities["tools"] !== undefined) seen.tools = await listAll<ContractTool>(line, "tools/list");
    for (const check of CHECKS) {
      const before = findings.length;
      const notes = {
        find: (words: string) => void findings.push(`${check.capability}: ${words}`),
        advise: (words: string) => void advice.push(`${check.capability}: ${words}`),
      };
      const offered = await check.run(seen, notes).catch((error: unknown) => notes.find(firstLineOf(error)));
      verdicts.set(check.capability, findings.length > before ? "fails" : (offered ?? "works"));
    }
  } catch (error) {
    findings.push(firstLineOf(error));
  } finally {
    const wrong = await end().catch(firstLineOf);
    if (wrong !== undefined) findings.push(`the end: ${wrong}`);
  }
  return outcome;
}

const open = (place: Place, transport: Transport, revision: Revision): Promise<Opened> =>
  transport === "stdio" && "command" in place ? openStdio(place, revision) : openHttp(place, revision);

/** Nothing where the modern era is not spoken: a server of the legacy one does not know the question. */
async function capabilitiesIn(line: Line, revision: Revision): Promise<Fields | undefined> {
  if (!isModern(revision)) return line.heard[0]?.result?.["capabilities"] as Fields;
  const { result } = await line.request("server/discover");
  const spoken = (result?.["supportedVersions"] ?? []) as readonly unknown[];
  return spoken.includes(revision) ? (result?.["capabilities"] as Fields) : undefined;
}

const firstLineOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
