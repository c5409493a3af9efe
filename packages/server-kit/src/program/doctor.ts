import { findEnvironment, type Finding, type Report } from "../contract/environment.ts";
import { EXIT_CODES, ExitError } from "../exit.ts";
import type { Answer } from "./answer.ts";
import type { Program, ProgramOptions } from "./program.ts";
import type { Redact } from "./redact.ts";

/** Looks for everything the server needs, and says how to get what is missing. */
export async function examine(program: Program, options: ProgramOptions, redact: Redact): Promise<Answer> {
  const looked = await findEnvironment(program, program.checks?.(options) ?? []);
  const found = looked.healthy ? withBroken(looked, program, options) : looked;
  // Before it becomes text: a secret with a quotation mark looks different in JSON.
  const report = redact(found) as Report;
  const text = options.json ? JSON.stringify(report, undefined, 2) : toText(report);
  return { text: `${text}\n`, exitCode: found.healthy ? EXIT_CODES.clean : EXIT_CODES.unavailable };
}

/** What would end a start may be nothing that a check looks at. */
function withBroken(report: Report, program: Program, options: ProgramOptions): Report {
  try {
    program.validate?.(options);
    return report;
  } catch (thrown) {
    const found = thrown instanceof Error ? thrown.message : String(thrown);
    const hint = thrown instanceof ExitError && thrown.hint !== undefined ? { hint: thrown.hint } : {};
    const needed = "settings that can be used";
    const broken = { name: "settings", status: "missing", needed, found, ...hint } as const;
    return { ...report, healthy: false, checks: [...report.checks, broken] };
  }
}

const MARKS: { readonly [Status in Finding["status"]]: string } = {
  ok: "ok",
  warning: "warning",
  missing: "MISSING",
};

function toText({ server, version, healthy, checks }: Report): string {
  const lines = checks.flatMap(({ name, status, needed, found, hint }) => [
    `${MARKS[status].padEnd(8)} ${name}: ${found ?? (status === "missing" ? "not found" : "found")} (needs ${needed})`,
    ...(hint === undefined ? [] : [`         ${hint}`]),
  ]);
  const verdict = healthy ? "Everything it needs is there." : "Something it needs is missing.";
  return [`${server} ${version}`, ...lines, verdict].join("\n");
}
