import { Fault } from "@suite/server-kit/domain";
import type { PatternPart } from "./pattern-part.ts";
import { readPattern } from "./pattern-reader.ts";

/** Finds what a caller looks for. Asked from the rough to the fine: most files have no match, and fall at the first look. */
export interface LineMatcher {
  /** Whether the bytes may hold a match. Missing: they must be decoded to know. */
  readonly mayMatchBytes?: (bytes: Buffer) => boolean;
  /** Whether any line of a text may match. Lines end with \n alone. */
  readonly mayMatch: (text: string) => boolean;
  /** Where the next line that may match goes on, at or behind a place; -1: nowhere. Missing: every line may. */
  readonly skipTo?: (text: string, from: number) => number;
  /** Where a line matches first, at or behind a place; -1: nowhere. */
  readonly find: (line: string, from: number) => number;
}

/** Looks for a text as it is. */
export function createLiteralMatcher(text: string, isCaseSensitive: boolean): LineMatcher {
  if (!isCaseSensitive) return createFoldingMatcher(text);
  return {
    mayMatchBytes: createByteSearch(text),
    mayMatch: (content) => content.includes(text),
    skipTo: (content, from) => content.indexOf(text, from),
    find: (line, from) => line.indexOf(text, from),
  };
}

/** A native expression without any choice in it takes linear time. Letters of ASCII have no other forms than two. */
function createFoldingMatcher(text: string): LineMatcher {
  const source = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  const flags = isAscii(text) ? "i" : "iu";
  const once = new RegExp(source, flags);
  const next = new RegExp(source, `g${flags}`);
  const find = (content: string, from: number): number => findFrom(next, content, from);
  return {
    ...(isAscii(text) && { mayMatchBytes: createFoldingByteSearch(text) }),
    mayMatch: (content) => once.test(content),
    skipTo: find,
    find,
  };
}

function findFrom(expression: RegExp, text: string, from: number): number {
  expression.lastIndex = from;
  return expression.exec(text)?.index ?? -1;
}

/** From frequent to rare in source code and prose. What is not here is rarer still. */
const FREQUENT = " etaoinsrlcdpumhfgybw\n.v,k(_)=-x\"'/:;0q1j>{}<z2*#AESTIC[]R3N";
/** When the rare byte is not rare in this file, something else is faster. */
const MOST_TRIES = 16;

/** Whether bytes hold a text. Where that takes too long to say for sure, it says that they may. */
export type ByteSearch = (bytes: Buffer) => boolean;

/** Jumps from one occurrence of the text's rarest byte to the next, which the machine finds at the speed of memory. */
function createByteSearch(text: string): ByteSearch {
  const needle = Buffer.from(text);
  const offset = findRarest(needle);
  const rare = needle[offset] as number;
  return (bytes) => {
    let at = offset - 1;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      at = bytes.indexOf(rare, at + 1);
      if (at < 0) return false;
      if (isAt(bytes, at - offset, needle, 0)) return true;
    }
    return bytes.includes(needle, at - offset);
  };
}

const CASE = 0x20;
// oxlint-disable-next-line no-control-regex -- all of ASCII
const isAscii = (text: string): boolean => /^[\u0000-\u007F]*$/.test(text);

/** The same for ASCII in any case. */
function createFoldingByteSearch(text: string): ByteSearch {
  const needle = Buffer.from(text.toLowerCase());
  const offset = findRarest(needle);
  const rare = needle[offset] as number;
  const cases = isLetter(rare) ? [rare, rare - CASE] : [rare];
  return (bytes) =>
    cases.some((byte) => {
      let at = offset - 1;
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        at = bytes.indexOf(byte, at + 1);
        if (at < 0) return false;
        if (isAt(bytes, at - offset, needle, CASE)) return true;
      }
      return true;
    });
}

function findRarest(needle: Buffer): number {
  const ranks = Array.from(needle, (byte) => {
    const rank = FREQUENT.indexOf(String.fromCharCode(byte));
    return rank < 0 ? FREQUENT.length : rank;
  });
  return ranks.indexOf(Math.max(...ranks));
}

const isLetter = (byte: number): boolean => byte >= 0x61 && byte <= 0x7a;

/** `fold`: the bit in which letters may differ. */
function isAt(bytes: Buffer, start: number, needle: Buffer, fold: number): boolean {
  for (let index = 0; index < needle.length; index += 1) {
    const wanted = needle[index] as number;
    const found = bytes[start + index];
    if (found !== wanted && (found === undefined || !isLetter(wanted) || (found | fold) !== wanted))
      return false;
  }
  return true;
}

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
  const find: LineMatcher["find"] = (text, from) => {
    const matcher = line.test(text) ? line.matcher(text) : undefined;
    return matcher?.find(from) ? matcher.start() : -1;
  };
  if (OWN_ANCHORS.test(pattern)) return { mayMatch: () => true, find };
  const whole = RE2JS.compile(pattern, folding | RE2JS.MULTILINE);
  return { ...rough, mayMatch: (text) => whole.test(text), find };
}

function createRoughMatcher(
  { clues }: PatternPart,
  isCaseSensitive: boolean,
): Pick<LineMatcher, "mayMatchBytes"> {
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
function createNativeMatcher({ source }: PatternPart, isCaseSensitive: boolean): LineMatcher {
  const flags = isCaseSensitive ? "su" : "sui";
  const line = new RegExp(source, `g${flags}`);
  const whole = new RegExp(source, `${flags}m`);
  return { mayMatch: (text) => whole.test(text), find: (text, from) => findFrom(line, text, from) };
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

/** Steps of the compiled expression. Every character of a text may cost as many: so much is still a matter of seconds. */
const MOST_STEPS = 2000;

/** A few characters can stand for very many: a count makes copies of what it counts. */
export function requireSmallExpression(expression: { programSize(): number }): void {
  if (expression.programSize() <= MOST_STEPS) return;
  throw new Fault("invalid_input", "The expression is too large: its counts stand for too many copies", {
    hint: "Use smaller counts, or * and + instead of them.",
  });
}
