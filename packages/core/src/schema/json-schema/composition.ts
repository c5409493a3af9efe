import {
  type Check,
  type CompilationSite,
  type IssueDraft,
  type Mismatch,
  type ValidationRun,
  fail,
  passes,
  spend,
} from "./check.ts";
import type { JsonSchema } from "./schema.ts";
import { describeMismatch, toJsonText } from "./wording.ts";
import { cut, toPathText } from "./issue.ts";

export function compositionChecks(site: CompilationSite): (Check | undefined)[] {
  const { allOf = [], anyOf, oneOf, not } = site.keywords;
  return [
    ...allOf.map((schema) => counted(site.compile(schema, site.tracked))),
    anyOf && anyOfCheck(anyOf, site),
    oneOf && oneOfCheck(oneOf, site),
    not === undefined ? undefined : notCheck(not, site),
    conditionalCheck(site),
  ];
}

function counted(check: Check): Check {
  return (value, run) => {
    spend(run, 1);
    return check(value, run);
  };
}

/** Only the verdict; what a failed branch evaluated does not count as evaluated. */
function tries(check: Check, value: unknown, run: ValidationRun, tracked: boolean): boolean {
  const mark = run.evaluated.length;
  const ok = passes(check, value, run);
  if (!ok && tracked) run.evaluated.length = mark;
  return ok;
}

function anyOfCheck(schemas: readonly JsonSchema[], { compile, tracked }: CompilationSite): Check {
  const branches = schemas.map((schema) => compile(schema, tracked));
  return (value, run) => {
    let ok = false;
    for (const branch of branches) {
      spend(run, 1);
      if (!tries(branch, value, run, tracked)) continue;
      ok = true;
      // Every matching branch adds to what counts as evaluated.
      if (!tracked) break;
    }
    return ok || failAlternatives(branches, value, run);
  };
}

function oneOfCheck(schemas: readonly JsonSchema[], { compile, tracked }: CompilationSite): Check {
  const branches = schemas.map((schema) => compile(schema, tracked));
  return (value, run) => {
    let first = 0;
    for (const [index, branch] of branches.entries()) {
      spend(run, 1);
      if (!tries(branch, value, run, tracked)) continue;
      if (first > 0) {
        return fail(
          run,
          `must match exactly one of ${branches.length} alternatives, but matches ${first} and ${index + 1}`,
        );
      }
      first = index + 1;
    }
    return first > 0 || failAlternatives(branches, value, run);
  };
}

function notCheck(schema: JsonSchema, { compile }: CompilationSite): Check {
  const check = compile(schema, false);
  return (value, run) => {
    spend(run, 1);
    if (!passes(check, value, run)) return true;
    return run.issues !== undefined && fail(run, `must not match ${toJsonText(schema)}`);
  };
}

function conditionalCheck({ keywords, compile, tracked }: CompilationSite): Check | undefined {
  if (keywords.if === undefined) return undefined;
  const condition = compile(keywords.if, tracked);
  const [consequence, alternative] = [keywords.then ?? true, keywords.else ?? true].map((schema) =>
    compile(schema, tracked),
  );
  return (value, run) => {
    spend(run, 2);
    return (tries(condition, value, run, tracked) ? consequence! : alternative!)(value, run);
  };
}

const MAX_TOLD = 4;

/** Reports why no alternative fits: with the issues of the one that was evidently meant, or else in one line. */
function failAlternatives(branches: readonly Check[], value: unknown, run: ValidationRun): false {
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
