import { encodeReserved, encodeUnreserved, truncate } from "./encoding.ts";
import {
  type Expression,
  type Operator,
  type TemplatePart,
  UriTemplateError,
  type VariableSpec,
} from "./parse.ts";

export type TemplateValue = string | readonly string[] | Readonly<Record<string, string>>;
export type TemplateValues = Readonly<Record<string, TemplateValue | undefined>>;

export function expandParts(parts: readonly TemplatePart[], values: TemplateValues): string {
  return parts
    .map((part) => (part.kind === "literal" ? encodeReserved(part.text) : expandExpression(part, values)))
    .join("");
}

function expandExpression({ operator, variables }: Expression, values: TemplateValues): string {
  const written = variables.flatMap((spec) => {
    // Own keys only: a variable may be called `constructor`.
    const value = Object.hasOwn(values, spec.name) ? values[spec.name] : undefined;
    return value === undefined ? [] : expandVariable(operator, spec, value);
  });
  return written.length === 0 ? "" : operator.first + written.join(operator.separator);
}

/** The pieces the operator's separator joins; none when the value counts as undefined. */
function expandVariable(operator: Operator, spec: VariableSpec, value: TemplateValue): string[] {
  const encode = operator.reserved ? encodeReserved : encodeUnreserved;
  if (typeof value === "string") {
    return [withName(operator, spec.name, encode(truncate(value, spec.prefix ?? Infinity)))];
  }
  if (spec.prefix !== undefined) {
    throw new UriTemplateError(`Only a string has a prefix, ${spec.name} is a list or map`, spec.position);
  }
  if (isList(value)) {
    const items = value.map(encode);
    if (spec.explode) return items.map((item) => withName(operator, spec.name, item));
    return items.length === 0 ? [] : [withName(operator, spec.name, items.join(","))];
  }
  const pairs = Object.entries(value).map(([key, item]) => [encode(key), encode(item)] as const);
  if (spec.explode) {
    return pairs.map(([key, item]) => (operator.named ? withName(operator, key, item) : `${key}=${item}`));
  }
  return pairs.length === 0 ? [] : [withName(operator, spec.name, pairs.flat().join(","))];
}

function withName(operator: Operator, name: string, encoded: string): string {
  if (!operator.named) return encoded;
  return encoded === "" ? name + operator.ifEmpty : `${name}=${encoded}`;
}

// Array.isArray does not narrow a readonly array out of a union.
function isList(value: TemplateValue): value is readonly string[] {
  return Array.isArray(value);
}
