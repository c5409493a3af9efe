import { Fault } from "@suite/server-kit/domain";
import type { PatternPart } from "./pattern-part.ts";
import { readPattern } from "./pattern-reader.ts";

/** Searches for a pattern with increasingly precise tests: most files have no match and fail the first one. */
export interface LineMatcher {
  /** Whether the bytes may contain a match. Missing: they must be decoded first. */
  readonly mayMatchBytes?: (bytes: Buffer) => boolean;
  /** Whether any line of a text may match. Lines end with \n only. */
  readonly mayMatch: (text: string) => boolean;
  /** A position, at or after `from`, in the next line that may match; -1: none. Missing: every line may. */
  readonly skipTo?: (text: string, from: number) => number;
  /** The first match in a line at or after `from`; -1: none. */
  readonly find: (line: string, from: number) => number;
}

/** Searches for literal text. */
export function createLiteralMatcher(text: string, isCaseSensitive: boolean): LineMatcher {
  if (!isCaseSensitive) return createFoldingMatcher(text);
  const needle = Buffer.from(text);
  return {
    mayMatchBytes: (bytes) => bytes.includes(needle),
    mayMatch: (content) => content.includes(text),
    skipTo: (content, from) => content.indexOf(text, from),
    find: (line, from) => line.indexOf(text, from),
  };
}

/** A native expression without alternatives is fast. ASCII needs no Unicode case folding. */
function createFoldingMatcher(text: string): LineMatcher {
  const source = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  const flags = isAscii(text) ? "i" : "iu";
  const once = new RegExp(source, flags);
  const next = new RegExp(source, `g${flags}`);
  const find = (content: string, from: number): number => findFrom(next, content, from);
  return { mayMatch: (content) => once.test(content), skipTo: find, find };
}

function findFrom(expression: RegExp, text: string, from: number): number {
  expression.lastIndex = from;
  return expression.exec(text)?.index ?? -1;
}

// oxlint-disable-next-line no-control-regex -- all of ASCII
const isAscii = (text: string): boolean => /^[\u0000-\u007F]*$/.test(text);

/** With these, start and end may mean something else in a whole text than in a single line. */
const OWN_ANCHORS = /\\[AzZ]|\(\?[a-zA-Z]*[m-]/;

/** RE2 syntax and linear time: an expression from a model must not block the server. */
export async function createExpressionMatcher(
  pattern: string,
  isCaseSensitive: boolean,
): Promise<LineMatcher> {
  const { RE2JS } = await import("re2js");
  const folding = isCaseSensitive ? 0 : RE2JS.CASE_INSENSITIVE;
  const line = compileExpression(() => RE2JS.compile(pattern, folding), "search for");
  requireSmallExpression(line);
  const part = readPattern(pattern);
  const rough = part && isCaseSensitive ? createRoughMatcher(part) : {};
  if (part?.isBounded) return { ...rough, ...createNativeMatcher(part, isCaseSensitive) };
  const find: LineMatcher["find"] = (text, from) => {
    const matcher = line.test(text) ? line.matcher(text) : undefined;
    return matcher?.find(from) ? matcher.start() : -1;
  };
  if (OWN_ANCHORS.test(pattern)) return { mayMatch: () => true, find };
  const whole = RE2JS.compile(pattern, folding | RE2JS.MULTILINE);
  return { ...rough, mayMatch: (text) => whole.test(text), find };
}

/** Gives all matches in a line, or of an expression with a group that group, with tabs between them. */
export async function createExtractor(
  pattern: string,
  isRegex: boolean,
  isCaseSensitive: boolean,
): Promise<(line: string) => string> {
  const { RE2JS } = await import("re2js");
  const source = isRegex ? pattern : RE2JS.quote(pattern);
  const expression = RE2JS.compile(source, isCaseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
  return (line) => {
    const found: string[] = [];
    const matcher = expression.matcher(line);
    const group = matcher.groupCount() > 0 ? 1 : 0;
    while (matcher.find()) found.push(matcher.group(group) ?? "");
    return found.join("\t");
  };
}

function createRoughMatcher({ clues }: PatternPart): Pick<LineMatcher, "mayMatchBytes"> {
  if (clues.length === 0) return {};
  const needles = clues.map((clue) => clue.map((text) => Buffer.from(text)));
  return { mayMatchBytes: (bytes) => needles.every((any) => any.some((needle) => bytes.includes(needle))) };
}

/**
 * The platform's engine is much faster than RE2 if there is no literal text to search for. It backtracks, so it gets only
 * patterns with a bounded number of ways to match at each position: then it is linear as well.
 */
function createNativeMatcher({ source }: PatternPart, isCaseSensitive: boolean): LineMatcher {
  const flags = isCaseSensitive ? "su" : "sui";
  const line = new RegExp(source, `g${flags}`);
  const whole = new RegExp(source, `${flags}m`);
  return { mayMatch: (text) => whole.test(text), find: (text, from) => findFrom(line, text, from) };
}

/** `plainly`: what is done without `regex`. */
export function compileExpression<T>(compile: () => T, plainly: "search for" | "replace"): T {
  try {
    return compile();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/^error parsing regexp: /, "") : "";
    throw new Fault("invalid_input", `The pattern is not a valid regular expression: ${why}`, {
      hint: `The syntax is RE2's: no look-around, no back-references. Leave out regex to ${plainly} plain text.`,
      cause,
    });
  }
}

/** Steps of the compiled expression. Each character of a text may cost this many, which still takes only seconds. */
const MOST_STEPS = 2000;

/** A short expression can compile to a huge one: a count copies what it counts. */
export function requireSmallExpression(expression: { programSize(): number }): void {
  if (expression.programSize() <= MOST_STEPS) return;
  throw new Fault("invalid_input", "The expression is too large: its repetition counts are too high", {
    hint: "Use smaller counts, or * and + instead of them.",
  });
}
