import { Fault } from "@suite/server-kit/domain";

import { createByteSearch, createFoldingByteSearch, isAscii } from "./byte-search.ts";
import type { LineMatcher } from "./line-matcher.ts";
import type { Part } from "./pattern-part.ts";
import { readPattern } from "./pattern-reader.ts";
import { requireSmallExpression } from "./require-small-expression.ts";

/** Where these stand, a whole text and a single line may disagree about what its start and end are. */
const OWN_ANCHORS = /\\[AzZ]|\(\?[a-zA-Z]*[m-]/;

/** An expression from a model must not be able to stop the server: RE2's syntax, and its linear time. */
export async function createExpressionMatcher(
  pattern: string,
  isCaseSensitive: boolean,
): Promise<LineMatcher> {
  const { RE2JS } = await import("re2js");
  const folding = isCaseSensitive ? 0 : RE2JS.CASE_INSENSITIVE;
  const line = parse(() => RE2JS.compile(pattern, folding));
  requireSmallExpression(line);
  const part = readPattern(pattern);
  const rough = part ? createRoughMatcher(part, isCaseSensitive) : {};
  if (part?.isBounded) return { ...rough, ...createNativeMatcher(part, isCaseSensitive) };
  const find = (text: string): number => (line.test(text) ? findStart(line.matcher(text)) : -1);
  if (OWN_ANCHORS.test(pattern)) return { mayMatch: () => true, find };
  const whole = RE2JS.compile(pattern, folding | RE2JS.MULTILINE);
  return { ...rough, mayMatch: (text) => whole.test(text), find };
}

function createRoughMatcher({ clues }: Part, isCaseSensitive: boolean): Pick<LineMatcher, "mayMatchBytes"> {
  const useful = isCaseSensitive ? clues : clues.filter((clue) => clue.every(hasTwoCases));
  if (useful.length === 0) return {};
  const create = isCaseSensitive ? createByteSearch : createFoldingByteSearch;
  const searches = useful.map((clue) => clue.map(create));
  return { mayMatchBytes: (bytes) => searches.every((any) => any.some((search) => search(bytes))) };
}

/** The long s and the sign for Kelvin are letters of ASCII as well, to whom case is nothing. */
const hasTwoCases = (text: string): boolean => isAscii(text) && !/[ks]/i.test(text);

/**
 * The engine of the platform is much faster where no text can be looked for. It goes back and tries again, so it gets only
 * patterns in which the ways to try are few at each place: then its time is linear as well.
 */
function createNativeMatcher({ source }: Part, isCaseSensitive: boolean): LineMatcher {
  const flags = isCaseSensitive ? "su" : "sui";
  const line = new RegExp(source, flags);
  const whole = new RegExp(source, `${flags}m`);
  return { mayMatch: (text) => whole.test(text), find: (text) => text.search(line) };
}

function parse<T>(compile: () => T): T {
  try {
    return compile();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/^error parsing regexp: /, "") : "";
    throw new Fault("invalid_input", `The pattern is not a valid regular expression: ${why}`, {
      hint: "The syntax is RE2's: no look-around, no back-references. Leave out regex to search for plain text.",
      cause,
    });
  }
}

const findStart = (matcher: { find(): boolean; start(): number }): number =>
  matcher.find() ? matcher.start() : -1;
