import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";

import { type EnvironmentReport, findEnvironment, type Finding } from "../contract/environment.ts";
import { defaultContract } from "../contract/settings.ts";
import { EXIT_CODES } from "../options/exit.ts";
import { toFault } from "../../domain/errors/to-fault.ts";
import type { PrintedAnswer } from "../telemetry/io.ts";
import { exitErrorOf } from "./failure.ts";
import type { Program, ProgramOptions } from "./program.ts";
import type { Redact } from "../telemetry/redact.ts";
import type { StderrLog } from "../telemetry/stderr-log.ts";

/** Implements --doctor: checks everything the server needs and says how to get what is missing. */
export async function examine(
  program: Program,
  options: ProgramOptions,
  redact: Redact,
): Promise<PrintedAnswer> {
  const environment = await findEnvironment(program, program.checks?.(options) ?? []);
  const found = environment.healthy ? await withSettings(environment, program, options, redact) : environment;
  // Redact before serializing: JSON escapes a quotation mark in a secret, which would no longer match.
  const report = redact(found) as EnvironmentReport;
  const text = options.json ? JSON.stringify(report, undefined, 2) : toText(report);
  return { text: `${text}\n`, exitCode: found.healthy ? EXIT_CODES.clean : EXIT_CODES.unavailable };
}

const ignore = (): void => undefined;
const SILENT_LOG: StderrLog = { debug: ignore, info: ignore, warning: ignore, error: ignore, always: ignore };

type CheckedEntry = EnvironmentReport["checks"][number];

/** Stops at the first problem: later checks would mostly repeat it. */
async function withSettings(
  environment: EnvironmentReport,
  program: Program,
  options: ProgramOptions,
  redact: Redact,
): Promise<EnvironmentReport> {
  const checks = [...environment.checks];
  for await (const entry of checkSettings(program, options, redact)) {
    if (entry) checks.push(entry);
    if (entry?.status === "missing") return { ...environment, healthy: false, checks };
  }
  return { ...environment, checks };
}

/** Finds settings that would make the start fail although all environment checks pass. */
async function* checkSettings(
  program: Program,
  options: ProgramOptions,
  redact: Redact,
): AsyncGenerator<CheckedEntry | undefined> {
  yield tryOut("settings", "settings that can be used", undefined, async () => {
    program.validate?.(options);
    if (options.http === undefined) return;
    const { toHttpOptions } = await import("./http-options.ts");
    await toHttpOptions({ options, origins: {}, log: SILENT_LOG, environment: {} });
  });
  if (program.keepsContract === false) return;
  const { auditLog, tools, excludeTools } = options;
  if (auditLog !== undefined) {
    yield tryOut("audit-log", "a file that can be written", auditLog, () => checkAuditLog(auditLog));
  }
  const chosen = [...tools, ...excludeTools];
  if (chosen.length > 0) {
    yield tryOut("tools", "tools or groups of these names", chosen.join(", "), () =>
      checkTools(program, options, redact),
    );
  }
}

/** Reports a success only if `found` is given: the operator set that option explicitly. */
async function tryOut(
  name: string,
  needed: string,
  found: string | undefined,
  check: () => unknown,
): Promise<CheckedEntry | undefined> {
  try {
    await check();
    return found === undefined ? undefined : { name, status: "ok", needed, found };
  } catch (thrown) {
    const { message, hint } = exitErrorOf(thrown, false);
    return { name, status: "missing", needed, found: message, ...(hint !== undefined && { hint }) };
  }
}

/** Fails as opening the file would, but does not create it. */
function checkAuditLog(file: string): void {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    accessSync(found ? file : dirname(file), constants.W_OK);
    if (found?.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
  } catch (thrown) {
    throw toFault(thrown, file);
  }
}

/** Only the server knows its tools, so it is created and disposed without serving. */
async function checkTools(program: Program, options: ProgramOptions, redact: Redact): Promise<void> {
  const { readOnly, tools, excludeTools } = options;
  const server = await program.create(options, {
    log: SILENT_LOG,
    redact,
    contract: { ...defaultContract, readOnly, tools, excludeTools },
  });
  await server.dispose();
}

const MARKS: { readonly [Status in Finding["status"]]: string } = {
  ok: "ok",
  warning: "warning",
  missing: "MISSING",
};

function toText({ server, version, healthy, checks }: EnvironmentReport): string {
  const lines = checks.flatMap(({ name, status, needed, found, hint }) => [
    `${MARKS[status].padEnd(8)} ${name}: ${found ?? (status === "missing" ? "not found" : "found")} (needs ${needed})`,
    ...(hint === undefined ? [] : [`         ${hint}`]),
  ]);
  return [`${server} ${version}`, ...lines, toVerdict(healthy, checks)].join("\n");
}

function toVerdict(healthy: boolean, checks: EnvironmentReport["checks"]): string {
  if (!healthy) return "Something it needs is missing.";
  const hasWarnings = checks.some(({ status }) => status === "warning");
  return hasWarnings ? "It can run, with the warnings above." : "Everything it needs is there.";
}
