import { all, type Check, type CompilationSite, fail } from "./check.ts";
import { formatCheck } from "./formats.ts";
import { cut } from "./issue.ts";
import { toRegExp } from "./patterns.ts";
import { toPlural } from "./wording.ts";

export function stringCheck({ keywords, limits }: CompilationSite): Check | undefined {
  const { minLength, maxLength, pattern, format } = keywords;
  const check = all([
    minLength === undefined ? undefined : minLengthCheck(minLength),
    maxLength === undefined ? undefined : maxLengthCheck(maxLength),
    pattern === undefined ? undefined : patternCheck(pattern),
    format === undefined || !limits.formatAssertion ? undefined : formatCheck(format),
  ]);
  return check && ((value, run) => typeof value !== "string" || check(value, run));
}

// A code point takes one or two units: counting is needed only where the number of units leaves the answer open.
function minLengthCheck(least: number): Check<string> {
  const message = least === 1 ? "must not be empty" : `must have at least ${toPlural(least, "character")}`;
  return (value, run) =>
    value.length >= 2 * least ||
    (value.length >= least && countCodePoints(value) >= least) ||
    fail(run, message);
}

function maxLengthCheck(most: number): Check<string> {
  const message = `must have at most ${toPlural(most, "character")}`;
  return (value, run) =>
    value.length <= most ||
    (value.length <= 2 * most && countCodePoints(value) <= most) ||
    fail(run, message);
}

function patternCheck(source: string): Check<string> {
  const expression = toRegExp(source)!;
  return (value, run) => expression.test(value) || fail(run, `must match the pattern ${cut(source, 100)}`);
}

function countCodePoints(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text.codePointAt(index)! > 0xffff) index += 1;
    count += 1;
  }
  return count;
}
