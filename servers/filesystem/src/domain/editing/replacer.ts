import { Fault, type TimeSlices } from "@suite/server-kit/domain";
import { requireSmallExpression } from "../searching/require-small-expression.ts";
import { findExact, lengthAfter, requireBounded } from "./find-matches.ts";
import type { Replacement } from "./line-text.ts";
import { parseTemplate } from "./replacement-template.ts";

export interface ReplacerOptions {
  readonly pattern: string;
  readonly replacement: string;
  readonly regex?: boolean | undefined;
  readonly ignore_case?: boolean | undefined;
}

/** An expression costs memory and time by its length, before it has looked at any text. */
const LONGEST_EXPRESSION = 10_000;

/** Characters of a text times steps of the expression: at worst, each character costs as many. */
const MOST_WORK = 1e9;

/** Finds what is to be replaced in a text, and by what. Between two finds others get their turn. */
export type Replacer = (text: string, slices: TimeSlices) => Promise<Replacement[]>;

export async function createReplacer(options: ReplacerOptions): Promise<Replacer> {
  const { pattern, replacement, regex, ignore_case: ignoreCase } = options;
  if (pattern === "") throw new Fault("invalid_input", "The pattern is empty");
  if (!regex && !ignoreCase) {
    const wanted = pattern.replaceAll("\r\n", "\n");
    return async (text) => {
      const found = findExact(text, wanted).map((span) => ({ ...span, text: replacement }));
      requireBounded(found.length, lengthAfter(text, found));
      return found;
    };
  }
  return createExpressionReplacer(options);
}

/** RE2: an expression from a model must not be able to stop the server. */
async function createExpressionReplacer(options: ReplacerOptions): Promise<Replacer> {
  const { pattern, replacement, regex, ignore_case: ignoreCase } = options;
  if (pattern.length > LONGEST_EXPRESSION) {
    throw new Fault(
      "invalid_input",
      `An expression may have ${LONGEST_EXPRESSION} characters, and this has more`,
      {
        hint: "Leave out regex and ignore_case to replace a long text.",
      },
    );
  }
  const { RE2JS } = await import("re2js");
  const flags = RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  const expression = compile(() => RE2JS.compile(regex ? pattern : RE2JS.quote(pattern), flags));
  if (regex) requireSmallExpression(expression);
  const groups = { count: expression.groupCount(), names: expression.namedGroups() };
  const fill = regex ? parseTemplate(replacement, groups) : () => replacement;
  return async (text, slices) => {
    const found: Replacement[] = [];
    requireAffordable(text, expression.programSize());
    if (!expression.test(text)) return found;
    const matcher = expression.matcher(text);
    let { length } = text;
    while (matcher.find()) {
      const [start, end] = [matcher.start(), matcher.end()];
      // Nothing to be replaced: an expression that can match nothing does so everywhere.
      if (end > start) {
        const added = fill((group) => matcher.group(group));
        found.push({ start, end, text: added });
        length += added.length - (end - start);
        requireBounded(found.length, length);
      }
      await slices.look();
    }
    return found;
  };
}

function requireAffordable(text: string, steps: number): void {
  if (text.length * steps <= MOST_WORK) return;
  throw new Fault("too_large", `A file of ${text.length} characters is too large for this expression`, {
    hint: "Nothing was changed. Make the expression simpler, or leave such files out with exclude.",
  });
}

function compile<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/^error parsing regexp: /, "") : "";
    throw new Fault("invalid_input", `The pattern is not a valid regular expression: ${why}`, {
      hint: "The syntax is RE2's: no look-around, no back-references. Leave out regex to replace plain text.",
      cause,
    });
  }
}
