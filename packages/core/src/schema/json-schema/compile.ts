import { arrayCheck } from "./arrays.ts";
import {
  accept,
  all,
  type Check,
  type CompilationSite,
  createRun,
  type IssueDraft,
  reject,
  resetRun,
  TOO_DEEP,
  ValidationHalted,
} from "./check.ts";
import { compositionChecks } from "./composition.ts";
import type { Issue } from "./issue.ts";
import { DEFAULT_VALIDATION_LIMITS, type JsonSchema, type Limits, SchemaError } from "./schema.ts";
import { numberCheck, stringCheck, typeCheck } from "./scalars.ts";
import { objectCheck } from "./objects.ts";
import { dynamicReferenceCheck, inScope, referenceCheck } from "./reference.ts";
import { indexSchema, type SchemaIndex, type SchemaNode } from "./references.ts";
import { hasUnevaluated, unevaluatedCheck } from "./unevaluated.ts";
import { valueChecks } from "./values.ts";

/** Undefined when the value is valid. */
export type Validator = (value: unknown) => readonly Issue[] | undefined;

/** Throws SchemaError where the schema cannot be used. */
export function compileJsonSchema(schema: JsonSchema, limits?: Partial<Limits>): Validator {
  const bounds = { ...DEFAULT_VALIDATION_LIMITS, ...limits };
  const check = compileRoot(schema, bounds);
  const run = createRun(bounds);
  return (value) => {
    try {
      // The first pass only decides; after a failure, the second collects the issues.
      if (check(value, resetRun(run, undefined))) return undefined;
      const findings: IssueDraft[] = [];
      check(value, resetRun(run, findings));
      return findings.map(({ path, message }) => ({ path: path.toReversed(), message }));
    } catch (error) {
      if (error instanceof ValidationHalted) return [{ path: [], message: error.message }];
      // The limit on depth assumes a fresh stack; the caller may have used up most of it.
      if (error instanceof RangeError) return [{ path: [], message: TOO_DEEP }];
      throw error;
    }
  };
}

function compileRoot(schema: JsonSchema, limits: Limits): Check {
  const index = indexSchema(schema, limits);
  try {
    return createCompiler(index)(schema, false);
  } catch (cause) {
    // Values in `const` and `enum` are made canonical here, under the same limits as the values they are compared with.
    throw cause instanceof ValidationHalted
      ? new SchemaError(`const or enum ${cause.message}`, "", { cause })
      : cause;
  }
}

function createCompiler(index: SchemaIndex): CompilationSite["compile"] {
  const compiled = { plain: new Map<SchemaNode, Check>(), tracked: new Map<SchemaNode, Check>() };

  const compileNode = (node: SchemaNode, tracked: boolean): Check => {
    const cache = tracked ? compiled.tracked : compiled.plain;
    const cached = cache.get(node);
    if (cached !== undefined) return cached;
    const check = toCheck(node, tracked);
    cache.set(node, check);
    return check;
  };

  const compile = (schema: JsonSchema, tracked: boolean): Check => {
    if (typeof schema === "boolean") return schema ? accept : reject;
    return compileNode(index.nodes.get(schema)!, tracked);
  };

  const references = (node: SchemaNode, tracked: boolean): (Check | undefined)[] => {
    const { target, dynamicTarget, dynamicName } = node;
    const follow = (to: SchemaNode): Check => compileNode(to, tracked);
    const direct = (to: SchemaNode | boolean | undefined): Check | undefined =>
      to === undefined ? undefined : referenceCheck(node, to, index.hasDynamicReferences, follow);
    const isDynamic = dynamicName !== undefined && typeof dynamicTarget === "object";
    return [
      direct(target),
      isDynamic ? dynamicReferenceCheck(node, dynamicTarget, dynamicName, follow) : direct(dynamicTarget),
    ];
  };

  const toCheck = (node: SchemaNode, isTrackedAbove: boolean): Check => {
    const { keywords, resource } = node;
    const tracked = isTrackedAbove || hasUnevaluated(keywords);
    const site: CompilationSite = { keywords, limits: index.limits, tracked, compile };
    const rest = all([
      ...references(node, tracked),
      ...valueChecks(site),
      numberCheck(site),
      stringCheck(site),
      arrayCheck(site),
      objectCheck(site),
      ...compositionChecks(site),
    ]);
    const typed = typeCheck(keywords.type, rest);
    const whole = hasUnevaluated(keywords) ? unevaluatedCheck(site, isTrackedAbove, typed) : typed;
    const isRoot = index.nodes.get(resource.root) === node;
    return inScope(resource, whole, isRoot && index.hasDynamicReferences);
  };

  return compile;
}
