import { toCanonicalJson } from "./canonical.ts";
import { type Check, type CompilationSite, createRun, fail, type Mismatch, resetRun } from "./check.ts";
import { describeMismatch, toJsonText, typeName } from "./wording.ts";

const isContainer = (value: unknown): boolean => typeof value === "object" && value !== null;

function oneOfValues(values: readonly unknown[], { limits }: CompilationSite): Check {
  const ahead = resetRun(createRun(limits), undefined);
  const plain = new Set(values.filter((value) => !isContainer(value)));
  const containers = new Set(values.filter(isContainer).map((value) => toCanonicalJson(value, ahead)));
  const has: Check = (value, run) =>
    isContainer(value)
      ? containers.size > 0 && containers.has(toCanonicalJson(value, run))
      : plain.has(value);
  return (value, run) => {
    if (has(value, run)) return true;
    if (run.issues === undefined) return false;
    const mismatch: Mismatch = { kind: "value", expected: values.map(toJsonText), found: typeName(value) };
    return fail(run, describeMismatch(mismatch), mismatch);
  };
}

export function valueChecks(site: CompilationSite): (Check | undefined)[] {
  const { enum: values, const: constant } = site.keywords;
  return [
    values === undefined ? undefined : oneOfValues(values, site),
    constant === undefined ? undefined : oneOfValues([constant], site),
  ];
}
