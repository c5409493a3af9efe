import { failAlternatives } from "./alternatives.ts";
import { type Check, type CompilationSite, fail, passes, spend, type ValidationRun } from "./check.ts";
import type { JsonSchema } from "./schema.ts";
import { toJsonText } from "./wording.ts";

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
