import { type Check, type IssueDraft, type Mismatch, type ValidationRun } from "./check.ts";
import { cut, toPathText } from "./issue.ts";
import { describeMismatch } from "./wording.ts";

const MAX_TOLD = 4;

/** Reports why no alternative fits: with the issues of the one that was evidently meant, or else in one line. */
export function failAlternatives(branches: readonly Check[], value: unknown, run: ValidationRun): false {
  const { issues } = run;
  if (issues === undefined) return false;
  const findings = branches.map((branch) => collect(branch, value, run));
  run.issues = issues;
  const meant = findings.filter((branch) => !branch.some(isDiscriminating));
  if (meant.length === 1) issues.push(...meant[0]!.slice(0, run.limits.issues - issues.length));
  else if (issues.length < run.limits.issues) issues.push(mergeMismatches(findings) ?? summarise(findings));
  return false;
}

function collect(branch: Check, value: unknown, run: ValidationRun): IssueDraft[] {
  const issues: IssueDraft[] = [];
  run.issues = issues;
  branch(value, run);
  return issues;
}

/** The value itself is of another type, or one of its own members names another alternative. */
function isDiscriminating({ mismatch, path }: IssueDraft): boolean {
  return mismatch !== undefined && path.length <= (mismatch.kind === "type" ? 0 : 1);
}

/** Alternatives that all stumble over the same place in the same way: `expected string or null, got number`. */
function mergeMismatches(findings: readonly (readonly IssueDraft[])[]): IssueDraft | undefined {
  const leading = findings.map((branch) => branch.find(isDiscriminating));
  const [first] = leading;
  if (first?.mismatch === undefined) return undefined;
  const { kind, found } = first.mismatch;
  const place = first.path.join();
  if (!leading.every((other) => other?.mismatch?.kind === kind && other.path.join() === place))
    return undefined;
  const expected = [...new Set(leading.flatMap((other) => other?.mismatch?.expected ?? []))];
  const mismatch: Mismatch = { kind, expected, found };
  return { path: [...first.path], message: describeMismatch(mismatch), mismatch };
}

function summarise(findings: readonly (readonly IssueDraft[])[]): IssueDraft {
  const reasons = findings.map(([first]) => {
    if (first === undefined) return "is not allowed";
    const message = cut(first.message, 120);
    return first.path.length === 0 ? message : `${toPathText(first.path.toReversed())} ${message}`;
  });
  const told = [...new Set(reasons)];
  const more = told.length > MAX_TOLD ? ` | … (${told.length - MAX_TOLD} more)` : "";
  const message = `matches none of ${findings.length} alternatives: ${told.slice(0, MAX_TOLD).join(" | ")}${more}`;
  return { path: [], message };
}
