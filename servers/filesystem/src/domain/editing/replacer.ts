import { Fault, type Replacement, type TimeSlices } from "@suite/server-kit/domain";
import { compileExpression, requireSmallExpression } from "../searching/line-matcher.ts";
import { findExact, lengthAfter, requireBounded } from "./find-matches.ts";

export interface ReplacerOptions {
  readonly pattern: string;
  readonly replacement: string;
  readonly regex?: boolean | undefined;
  readonly ignore_case?: boolean | undefined;
}

/** In characters. Each range in an expression may fold the case of all of Unicode; plain text does not. */
const LONGEST_EXPRESSION = 1000;
const LONGEST_PLAIN = 10_000;

/** Characters of a text times steps of the compiled expression: the worst case of a search. */
const MOST_WORK = 1e9;

/**
 * Finds the replacements in a text. "empty": the pattern has only empty matches. Uses `slices` to let other work run between
 * matches.
 */
export type Replacer = (text: string, slices: TimeSlices) => Promise<Replacement[] | "empty">;

export async function createReplacer(options: ReplacerOptions): Promise<Replacer> {
  const { replacement, regex, ignore_case: ignoreCase } = options;
  if (options.pattern === "") throw new Fault("invalid_input", "The pattern is empty");
  if (regex) return createExpressionReplacer(options);
  const pattern = options.pattern.replaceAll("\r\n", "\n");
  if (!ignoreCase) {
    return async (text) => {
      const found = findExact(text, pattern).map((span) => ({ ...span, text: replacement }));
      requireBounded(found.length, lengthAfter(text, found));
      return found;
    };
  }
  return createExpressionReplacer({ ...options, pattern });
}

/** Quoted text, line ends that are not repeated, other escapes, and bracket expressions. */
const PARTS =
  /\\Q[^]*?(?:\\E|$)|(?:\\r\\n|\r\n)(?![?*+]|\{\d+(?:,\d*)?\})|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*(?:\]|$)/g;

/** Replaces \r\n with \n: the searched text has only \n. */
const toPlainEnds = (expression: string): string =>
  expression.replaceAll(PARTS, (part) => {
    if (part.startsWith("[")) return part;
    return part === String.raw`\r\n` ? String.raw`\n` : part.replaceAll("\r\n", "\n");
  });

/** Uses RE2, which is linear: an expression from a model must not block the server. */
async function createExpressionReplacer(options: ReplacerOptions): Promise<Replacer> {
  const { pattern, replacement, regex, ignore_case: ignoreCase } = options;
  const longest = regex ? LONGEST_EXPRESSION : LONGEST_PLAIN;
  if (pattern.length > longest) {
    throw new Fault("invalid_input", `The pattern has more than ${longest} characters`, {
      hint: "Leave out regex and ignore_case to replace a long text.",
    });
  }
  const { RE2JS } = await import("re2js");
  const flags = RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  const source = regex ? toPlainEnds(pattern) : RE2JS.quote(pattern);
  const expression = compileExpression(() => RE2JS.compile(source, flags), "replace");
  if (regex) requireSmallExpression(expression);
  const groups = { count: expression.groupCount(), names: expression.namedGroups() };
  const fill = regex ? parseTemplate(replacement, groups) : () => replacement;
  return async (text, slices) => {
    const found: Replacement[] = [];
    requireAffordable(text, expression.programSize());
    if (!expression.test(text)) return found;
    const matcher = expression.matcher(text);
    let isEmpty = false;
    let { length } = text;
    while (matcher.find()) {
      const [start, end] = [matcher.start(), matcher.end()];
      // Empty matches are not replaced: an expression that can match empty text does so everywhere.
      if (end > start) {
        const added = fill((group) => matcher.group(group));
        found.push({ start, end, text: added });
        length += added.length - (end - start);
        requireBounded(found.length, length);
      } else isEmpty = true;
      await slices.look();
    }
    return isEmpty && found.length === 0 ? "empty" : found;
  };
}

function requireAffordable(text: string, steps: number): void {
  if (text.length * steps <= MOST_WORK) return;
  throw new Fault("too_large", `A file of ${text.length} characters is too large for this expression`, {
    hint: "Nothing was changed. Make the expression simpler, or leave such files out with exclude.",
  });
}

/** The groups of one match; 0 is the whole match. */
type GroupOf = (group: number) => string | null;

interface Groups {
  readonly count: number;
  readonly names: { readonly [name: string]: number };
}

const PLACEHOLDER = /\$(?:(\$)|(&)|(\d{1,2})|\{(\w+)\})/g;

/** Parses `$1`, `${name}`, `$&` and `$$`; returns a function from a match to its replacement. */
function parseTemplate(template: string, groups: Groups): (groupOf: GroupOf) => string {
  const parts: (string | number)[] = [];
  let done = 0;
  for (const match of template.matchAll(PLACEHOLDER)) {
    const [whole, dollar, all, digits, name] = match;
    parts.push(template.slice(done, match.index));
    if (dollar !== undefined) parts.push("$");
    else parts.push(all === undefined ? toGroup(digits ?? name ?? "", groups) : 0);
    done = match.index + whole.length;
  }
  parts.push(template.slice(done));
  return (groupOf) => parts.map((part) => (typeof part === "string" ? part : (groupOf(part) ?? ""))).join("");
}

function toGroup(written: string, { count, names }: Groups): number {
  const group = /^\d+$/.test(written) ? Number(written) : names[written];
  if (group !== undefined && group <= count) return group;
  throw new Fault(
    "invalid_input",
    `The replacement refers to the group ${JSON.stringify(written)}, which the pattern does not have`,
    {
      hint: `The pattern has ${count} groups. Write $$ for a dollar sign.`,
    },
  );
}
