import { parseTemplate, type TemplatePart } from "./parse.ts";
import type { UriTemplate } from "./uri-template.ts";

/**
 * Orders the more specific template first (negative when that is `a`): more literal characters, then fewer
 * variables that can span several path segments, then fewer variables.
 */
export function compareSpecificity(a: UriTemplate, b: UriTemplate): number {
  const [partsOfA, partsOfB] = [parseTemplate(a.source), parseTemplate(b.source)];
  return (
    literalLength(partsOfB) - literalLength(partsOfA) ||
    countVariables(partsOfA, true) - countVariables(partsOfB, true) ||
    countVariables(partsOfA, false) - countVariables(partsOfB, false)
  );
}

function literalLength(parts: readonly TemplatePart[]): number {
  return parts.reduce((sum, part) => sum + (part.kind === "literal" ? part.text.length : 0), 0);
}

function countVariables(parts: readonly TemplatePart[], wildcardsOnly: boolean): number {
  return parts
    .flatMap((part) => (part.kind === "literal" ? [] : part.variables.map((spec) => ({ ...part, spec }))))
    .filter(({ operator, spec }) => !wildcardsOnly || operator.reserved || spec.explode).length;
}
