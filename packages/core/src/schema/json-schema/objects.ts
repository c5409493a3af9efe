import { isObject } from "../../jsonrpc/message.ts";
import { isList } from "../../values/is-list.ts";
import { all, type Check, type CompilationSite, descend, fail, failAt, isSettled, spend } from "./check.ts";
import type { JsonObject } from "./schema.ts";
import { type ObjectCheck, propertiesCheck } from "./properties.ts";
import { toPlural } from "./wording.ts";

export function objectCheck(site: CompilationSite): Check | undefined {
  const { minProperties, maxProperties } = site.keywords;
  const check = all([
    propertiesCheck(site),
    minProperties === undefined
      ? undefined
      : sizeCheck("at least", minProperties, (size) => size >= minProperties),
    maxProperties === undefined
      ? undefined
      : sizeCheck("at most", maxProperties, (size) => size <= maxProperties),
    namesCheck(site),
    ...dependencyChecks(site),
  ]);
  return check && ((value, run) => !isObject(value) || check(value, run));
}

function presentNames(object: JsonObject): string[] {
  return Object.keys(object).filter((name) => object[name] !== undefined);
}

function sizeCheck(words: string, bound: number, holds: (size: number) => boolean): ObjectCheck {
  return (object, run) => {
    const size = presentNames(object).length;
    return (
      holds(size) || fail(run, `must have ${words} ${toPlural(bound, "property", "properties")}, has ${size}`)
    );
  };
}

function namesCheck({ keywords, compile }: CompilationSite): ObjectCheck | undefined {
  if (keywords.propertyNames === undefined) return undefined;
  const check = compile(keywords.propertyNames, false);
  const named: Check = (name, run) => {
    const first = run.issues?.length ?? 0;
    const ok = check(name, run);
    for (const issue of run.issues?.slice(first) ?? []) issue.message = `property name ${issue.message}`;
    return ok;
  };
  return (object, run) => {
    let ok = true;
    for (const name of presentNames(object)) {
      spend(run, 1);
      if (descend(named, name, name, run)) continue;
      if (isSettled(run)) return false;
      ok = false;
    }
    return ok;
  };
}

const has = (object: JsonObject, name: string): boolean =>
  Object.hasOwn(object, name) && object[name] !== undefined;

function dependencyChecks({ keywords, tracked, compile }: CompilationSite): ObjectCheck[] {
  const { dependencies = {}, dependentRequired = {}, dependentSchemas = {} } = keywords;
  const entries = [dependencies, dependentRequired, dependentSchemas].flatMap((map) => Object.entries(map));
  return entries.map(([name, needs]): ObjectCheck => {
    if (isList(needs)) {
      return (object, run) => {
        const missing = has(object, name) ? needs.filter((need) => !has(object, need)) : [];
        for (const need of missing) failAt(need, `is required when ${JSON.stringify(name)} is present`, run);
        return missing.length === 0;
      };
    }
    const check = compile(needs, tracked);
    return (object, run) => {
      if (!has(object, name)) return true;
      spend(run, 1);
      return check(object, run);
    };
  });
}
