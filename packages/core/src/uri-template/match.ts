import { fromEncoded, toComparable, truncate } from "./encoding.ts";
import type { MatchStep, ParametersStep, ValueStep } from "./match-steps.ts";
import type { VariableSpec } from "./parse.ts";

interface Occurrence {
  readonly variable: VariableSpec;
  readonly value: string | string[];
}

export const MAX_URI_LENGTH = 65_536;

/**
 * Works in two passes, both linear in the URI for a given template. Backwards: from which positions can the steps
 * from here on reach the end? Forwards: take each step's preferred stretch among those that can. Nothing is
 * ever tried twice, so there is no backtracking to exploit.
 */
export function matchSteps(
  steps: readonly MatchStep[],
  uri: string,
): Record<string, string | string[]> | undefined {
  const text = uri.length > MAX_URI_LENGTH ? undefined : toComparable(uri);
  if (text === undefined || text.length > MAX_URI_LENGTH) return undefined;
  // A router asks many templates about one URI, and most differ in their first letters.
  const head = steps[0];
  if (head?.kind === "literal" && !text.startsWith(head.text)) return undefined;
  const reach = findReach(steps, text);
  if (reach[0]?.[0] !== 1) return undefined;
  const occurrences = walk(steps, text, reach);
  return occurrences && collectBindings(occurrences);
}

/** `reach[i][p]` is 1 when the steps from `i` on match the text from `p` on. */
function findReach(steps: readonly MatchStep[], text: string): Uint8Array[] {
  const atEnd = new Uint8Array(text.length + 1);
  atEnd[text.length] = 1;
  const reach: Uint8Array[] = [];
  reach[steps.length] = atEnd;
  let after: Uint8Array = atEnd;
  for (const [done, step] of steps.toReversed().entries()) {
    after =
      step.kind === "literal"
        ? literalReach(step.text, text, after)
        : runReach(step, text, after, reach[step.ifAbsent] ?? atEnd);
    reach[steps.length - 1 - done] = after;
  }
  return reach;
}

function literalReach(literal: string, text: string, after: Uint8Array): Uint8Array {
  const reach = new Uint8Array(text.length + 1);
  for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + 1)) {
    reach[at] = after[at + literal.length] ?? 0;
  }
  return reach;
}

function runReach(
  step: ValueStep | ParametersStep,
  text: string,
  after: Uint8Array,
  absent: Uint8Array,
): Uint8Array {
  const inside = new Uint8Array(text.length + 1);
  const reach = new Uint8Array(text.length + 1);
  for (let at = text.length; at >= 0; at -= 1) {
    const goesOn = inside[nextInRun(step, text, at)] === 1;
    inside[at] = goesOn || after[at] === 1 ? 1 : 0;
    if (step.mark === "") reach[at] = step.minimum === 1 ? Number(goesOn) : (inside[at] ?? 0);
    else reach[at] = absent[at] === 1 || (text[at] === step.mark && inside[at + 1] === 1) ? 1 : 0;
  }
  return reach;
}

function walk(steps: readonly MatchStep[], text: string, reach: Uint8Array[]): Occurrence[] | undefined {
  const occurrences: Occurrence[] = [];
  let index = 0;
  let at = 0;
  for (let step = steps[0]; step !== undefined; step = steps[index]) {
    if (step.kind === "literal") {
      at += step.text.length;
      index += 1;
      continue;
    }
    const end = findEnd(step, text, at, reach[index + 1]);
    const canBeAbsent = step.mark !== "" && reach[step.ifAbsent]?.[at] === 1;
    if (end === undefined || (canBeAbsent && givesWay(step))) {
      index = step.ifAbsent;
      continue;
    }
    const raw = text.slice(at + step.mark.length, end);
    const found = step.kind === "value" ? readValue(step, raw) : readParameters(step, raw);
    if (found === undefined) return undefined;
    occurrences.push(...found);
    at = end;
    index += 1;
  }
  return occurrences;
}

/** The preferred end of a run that starts at `at`, among the ends the following steps can continue from. */
function findEnd(
  step: ValueStep | ParametersStep,
  text: string,
  at: number,
  after: Uint8Array | undefined,
): number | undefined {
  if (step.mark !== "" && text[at] !== step.mark) return undefined;
  let end = at + step.mark.length;
  if (step.minimum === 1) end = nextInRun(step, text, end);
  let preferred: number | undefined;
  for (; end <= text.length; end = nextInRun(step, text, end)) {
    if (after?.[end] !== 1) continue;
    preferred = end;
    if (!step.greedy) break;
  }
  return preferred;
}

/** Past the next character or triplet of the run; past the text when the run ends here. */
function nextInRun(step: ValueStep | ParametersStep, text: string, at: number): number {
  const character = text[at];
  if (character === undefined || step.forbidden.includes(character)) return text.length + 1;
  return at + (character === "%" ? 3 : 1);
}

// In `{/folders*,file}` a lone segment is the file.
function givesWay(step: ValueStep | ParametersStep): boolean {
  return step.kind === "value" && step.variable.explode && !step.greedy;
}

function readValue({ variable, separator }: ValueStep, raw: string): Occurrence[] | undefined {
  const value = variable.explode ? fromEncodedList(raw.split(separator)) : fromEncoded(raw);
  return value === undefined ? undefined : [{ variable, value }];
}

/** Undefined for an unknown parameter, or one given twice without `*`. */
function readParameters({ variables, separator }: ParametersStep, raw: string): Occurrence[] | undefined {
  const texts = new Map<VariableSpec, string[]>();
  for (const parameter of raw.split(separator)) {
    const [name = "", ...rest] = parameter.split("=");
    const variable = variables.get(name);
    if (variable === undefined) return undefined;
    const earlier = texts.get(variable);
    if (earlier === undefined) texts.set(variable, [rest.join("=")]);
    else if (variable.explode) earlier.push(rest.join("="));
    else return undefined;
  }
  const occurrences: Occurrence[] = [];
  for (const [variable, encoded] of texts) {
    const values = fromEncodedList(encoded);
    if (values === undefined) return undefined;
    occurrences.push({ variable, value: variable.explode ? values : values.join() });
  }
  return occurrences;
}

/** Undefined when one variable stands at two places with different values. */
function collectBindings(occurrences: readonly Occurrence[]): Record<string, string | string[]> | undefined {
  // No prototype: a variable may be called `__proto__`.
  const bindings: Record<string, string | string[]> = Object.create(null);
  for (const { variable, value } of occurrences) {
    const known = bindings[variable.name];
    if (known === undefined || String(value).length > String(known).length) bindings[variable.name] = value;
  }
  // `{user:1}/{user}`: the longest occurrence is the value, and each place must be what it expands to there.
  const agree = occurrences.every(({ variable, value }) => {
    return truncate(String(bindings[variable.name]), variable.prefix ?? Infinity) === String(value);
  });
  return agree ? bindings : undefined;
}

function fromEncodedList(encoded: readonly string[]): string[] | undefined {
  const values: string[] = [];
  for (const text of encoded) {
    const value = fromEncoded(text);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}
