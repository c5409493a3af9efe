import {
  accept,
  type Check,
  reject,
  spend,
  TOO_DEEP,
  ValidationHalted,
  type ValidationRun,
} from "./check.ts";
import type { SchemaNode, SchemaResource } from "./references.ts";

type CompileNode = (node: SchemaNode) => Check;

const NOWHERE: unknown = Symbol("nowhere");

/** Compiled on first use: recursive schemas end, and unused definitions cost nothing. */
export function referenceCheck(
  from: SchemaNode,
  target: SchemaNode | boolean,
  isScoped: boolean,
  compile: CompileNode,
): Check {
  if (typeof target === "boolean") return target ? accept : reject;
  let compiled: Check | undefined;
  return guarded(from, (value, run) => {
    compiled ??= inScope(target.resource, compile(target), isScoped);
    return compiled(value, run);
  });
}

/** `$dynamicRef`: the outermost resource entered so far that has the anchor decides. */
export function dynamicReferenceCheck(
  from: SchemaNode,
  target: SchemaNode,
  name: string,
  compile: CompileNode,
): Check {
  const compiled = new Map<SchemaResource, Check>();
  return guarded(from, (value, run) => {
    const resource = run.scope.find(({ dynamicAnchors }) => dynamicAnchors.has(name)) ?? target.resource;
    let check = compiled.get(resource);
    if (check === undefined) {
      check = inScope(resource, compile(resource.dynamicAnchors.get(name)!), true);
      compiled.set(resource, check);
    }
    return check(value, run);
  });
}

export function inScope(resource: SchemaResource, check: Check, isScoped: boolean): Check {
  if (!isScoped) return check;
  return (value, run) => {
    run.scope.push(resource);
    const ok = check(value, run);
    run.scope.pop();
    return ok;
  };
}

/**
 * All recursion goes through references, so it is limited here. A reference that is reached again for the same value would
 * never end; a descendant cannot be that value, so comparing with the latest is enough.
 */
function guarded(from: SchemaNode, check: Check): Check {
  const levels = from.level + 1;
  let current = NOWHERE;
  return (value, run) => {
    spend(run, 1);
    if (current === value)
      throw new ValidationHalted("cannot be validated: its schema refers to itself without end");
    enter(run, levels);
    const outer = current;
    current = value;
    try {
      return check(value, run);
    } finally {
      current = outer;
      run.levels -= levels;
    }
  };
}

function enter(run: ValidationRun, levels: number): void {
  run.levels += levels;
  if (run.levels > run.limits.depth) throw new ValidationHalted(TOO_DEEP);
}
