#!/usr/bin/env node
import { existsSync, readFileSync, writeFileSync } from "node:fs";

import manifest from "../../package.json" with { type: "json" };
import { CHECKS } from "../checks/index.ts";
import { countOf, type Judged, toJson, toJunit, toSarif, toShield, toSvg } from "../report/formats.ts";
import { toWords } from "../report/words.ts";
import { addressOf, RULES } from "../rules/rules.ts";
import { checkServer, type MetFinding } from "../visits/check-server.ts";
import { closeForGood } from "../wires/leftovers.ts";
import { HELP, readCommandLine, UsageError, type Wanted } from "./options.ts";

const EXIT = { clean: 0, found: 1, usage: 64, unavailable: 69 };

const print = (text: string): void => void process.stdout.write(text);

const tell = (text: string): void => void process.stderr.write(`${text}\n`);

const listRules = (): string =>
  [
    "Checks",
    ...CHECKS.map(({ name }) => `  ${name}`),
    "",
    "Rules",
    ...Object.entries(RULES).map(([id, rule]) => {
      const address = addressOf(rule);
      return `  ${id} (${rule.level}): ${rule.says}${address === undefined ? "" : ` ${address}`}`;
    }),
    "",
  ].join("\n");

/** A server's own script, for whoever shows where a finding is. */
const fileOf = ({ place }: Wanted): string =>
  ("command" in place && place.command.find((word) => /\.\w+$/.test(word) && existsSync(word))) ||
  "package.json";

async function check(wanted: Wanted): Promise<number> {
  const { place, skipped, baseline } = wanted;
  const isKnown =
    baseline !== undefined && !wanted.writesBaseline ? readBaseline(baseline) : (): boolean => false;
  const report = await checkServer({ ...wanted, onProgress: tell });
  const counted = report.findings.filter(({ rule }) => !skipped.has(rule));
  const judged: Judged = {
    ...report,
    target: "url" in place ? place.url : place.command.join(" "),
    findings: counted.filter((finding) => !isKnown(finding)),
    known: counted.filter(isKnown),
    skipped,
  };
  print(wanted.json ? toJson(judged) : toWords(judged, wanted.checks));
  writeFiles(wanted, judged, counted);
  if (report.failure !== undefined) return EXIT.unavailable;
  const counts = countOf(judged, "error") + (wanted.isStrict ? countOf(judged, "warning") : 0);
  return counts > 0 && !wanted.writesBaseline ? EXIT.found : EXIT.clean;
}

function writeFiles(wanted: Wanted, judged: Judged, counted: readonly MetFinding[]): void {
  const { baseline, files } = wanted;
  try {
    if (baseline !== undefined && wanted.writesBaseline) writeFileSync(baseline, toBaseline(counted));
    if (files.junit) writeFileSync(files.junit, toJunit(judged));
    if (files.sarif) writeFileSync(files.sarif, toSarif(judged, manifest.version, fileOf(wanted)));
    if (files.badge)
      writeFileSync(files.badge, files.badge.endsWith(".svg") ? toSvg(judged) : toShield(judged));
  } catch (cause) {
    throw new UsageError(`The report was not written: ${(cause as Error).message}`, { cause });
  }
}

/** What is known and stays, by rule. */
interface Baseline {
  readonly [rule: string]: readonly string[];
}

function readBaseline(file: string): (finding: MetFinding) => boolean {
  try {
    const known = JSON.parse(readFileSync(file, "utf8")) as Baseline;
    return ({ rule, words }) => Array.isArray(known[rule]) && known[rule].includes(words);
  } catch (cause) {
    throw new UsageError(`--baseline ${file}: ${(cause as Error).message} (--write-baseline makes it)`, {
      cause,
    });
  }
}

function toBaseline(findings: readonly MetFinding[]): string {
  const baseline: Record<string, string[]> = {};
  for (const rule of findings.map((finding) => finding.rule).toSorted())
    baseline[rule] = findings
      .filter((finding) => finding.rule === rule)
      .map(({ words }) => words)
      .toSorted();
  return `${JSON.stringify(baseline, undefined, 2)}\n`;
}

async function run(): Promise<number> {
  const wanted = readCommandLine(process.argv.slice(2));
  if (wanted === "help") print(HELP);
  else if (wanted === "version") print(`${manifest.version}\n`);
  else if (wanted === "list") print(listRules());
  else return check(wanted);
  return EXIT.clean;
}

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void closeForGood().finally(() => process.kill(process.pid, signal)));

run()
  .catch((thrown: unknown) => {
    if (!(thrown instanceof UsageError)) throw thrown;
    tell(`${thrown.message}\nTry check --help.`);
    return EXIT.usage;
  })
  .then(async (code) => {
    process.exitCode = code;
    return closeForGood();
  })
  .catch((thrown: unknown) => {
    tell(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
    process.exitCode = 70;
  });
