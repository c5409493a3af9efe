import {
  type Check,
  type CompilationSite,
  descend,
  failAt,
  isSettled,
  spend,
  type ValidationRun,
} from "./check.ts";
import type { JsonObject } from "./schema.ts";
import { suggestName } from "./names.ts";
import { toRegExp } from "./patterns.ts";

interface Property {
  readonly name: string;
  /** Undefined for a name that is required and nothing more. */
  readonly check: Check | undefined;
  readonly isRequired: boolean;
  /** Whether every object inherits it: `constructor`, `__proto__`. */
  readonly isInherited: boolean;
}

export type ObjectCheck = Check<JsonObject>;

export function propertiesCheck(site: CompilationSite): ObjectCheck | undefined {
  const { properties = {}, required = [], patternProperties, additionalProperties } = site.keywords;
  const names = new Set([...Object.keys(properties), ...required]);
  const known = Array.from(names, (name): Property => ({
    name,
    check: Object.hasOwn(properties, name) ? site.compile(properties[name]!, false) : undefined,
    isRequired: required.includes(name),
    isInherited: name in Object.prototype,
  }));
  const isClosed = additionalProperties === false;
  const isFlat = patternProperties === undefined && (isClosed || additionalProperties === undefined);
  if (!isFlat || site.tracked) return eachPresent(site, known);
  return known.length === 0 && !isClosed ? undefined : eachKnown(known, isClosed);
}

/** Own names are the only enumerable ones of a plain object, which saves asking for each. */
function isPlain(object: JsonObject): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === Object.prototype || prototype === null;
}

function failMissing(known: readonly Property[], object: JsonObject, run: ValidationRun): void {
  if (run.issues === undefined) return;
  for (const { name, isRequired } of known) {
    if (isRequired && (!Object.hasOwn(object, name) || object[name] === undefined))
      failAt(name, "is required", run);
  }
}

function failUnknown(name: string, known: readonly Property[], run: ValidationRun): false {
  if (run.issues === undefined) return false;
  const names = known.filter(({ check }) => check !== undefined).map((property) => property.name);
  return failAt(name, suggestName(name, names), run);
}

// In both, `undefined` counts as absent: it does not survive serialisation.

/** Iterates over the schema's names. If no others are allowed, counting finds out whether there are any. */
function eachKnown(known: readonly Property[], isClosed: boolean): ObjectCheck {
  return (object, run) => {
    spend(run, known.length);
    const plain = isPlain(object);
    let ok = true;
    let isMissing = false;
    let present = 0;
    for (const { name, check, isRequired, isInherited } of known) {
      const value = object[name];
      if (value === undefined || ((isInherited || !plain) && !Object.hasOwn(object, name))) {
        isMissing ||= isRequired;
        continue;
      }
      if (check === undefined) continue;
      present += 1;
      if (descend(check, value, name, run)) continue;
      if (isSettled(run)) return false;
      ok = false;
    }
    if (isMissing) failMissing(known, object, run);
    return (!isClosed || hasNoOther(object, present, known, run)) && ok && !isMissing;
  };
}

function hasNoOther(
  object: JsonObject,
  present: number,
  known: readonly Property[],
  run: ValidationRun,
): boolean {
  let count = 0;
  // Object.keys would allocate on the way to every success.
  for (const name in object) if (name !== undefined) count += 1;
  if (count === present) return true;
  const names = new Set(known.filter(({ check }) => check !== undefined).map(({ name }) => name));
  const others = Object.keys(object).filter((name) => object[name] !== undefined && !names.has(name));
  for (const name of others) {
    failUnknown(name, known, run);
    if (isSettled(run)) return false;
  }
  return others.length === 0;
}

/** Iterates over the object's own names and finds the schemas of each. */
function eachPresent(
  { keywords, tracked, compile }: CompilationSite,
  known: readonly Property[],
): ObjectCheck {
  const { additionalProperties, patternProperties = {} } = keywords;
  const byName = new Map(known.map((property) => [property.name, property]));
  const required = known.filter(({ isRequired }) => isRequired).length;
  const patterns = Object.entries(patternProperties).map(
    ([source, schema]) => [toRegExp(source)!, compile(schema, false)] as const,
  );
  const rest = additionalProperties === undefined ? undefined : compile(additionalProperties, false);
  const isClosed = additionalProperties === false;
  return (object, run) => {
    const plain = isPlain(object);
    let ok = true;
    let missing = required;
    for (const name in object) {
      const value = object[name];
      if (value === undefined || (!plain && !Object.hasOwn(object, name))) continue;
      spend(run, 1 + patterns.length);
      const property = byName.get(name);
      if (property?.isRequired) missing -= 1;
      let check = property?.check;
      let isValid = check === undefined || descend(check, value, name, run);
      for (const [pattern, patternCheck] of patterns) {
        if (!pattern.test(name)) continue;
        check = patternCheck;
        if (!descend(check, value, name, run)) isValid = false;
      }
      if (check === undefined && rest !== undefined) {
        check = rest;
        isValid = isClosed ? failUnknown(name, known, run) : descend(rest, value, name, run);
      }
      if (tracked && check !== undefined) run.evaluated.push(name);
      if (isValid) continue;
      if (isSettled(run)) return false;
      ok = false;
    }
    if (missing > 0) failMissing(known, object, run);
    return ok && missing === 0;
  };
}
