import { parseClass, toSource } from "./character-class.ts";

/** Whether a single name of a path matches. */
export type NameTest = (name: string) => boolean;

export interface NamePattern {
  readonly test: NameTest;
  /** Set if only this name matches. */
  readonly literal?: string;
  /** Set if all names with this suffix match. */
  readonly suffix?: string;
}

const STAR = Symbol("any characters");
/** A literal character, a RegExp source for one character, or a star. */
type Token = string | { readonly source: string } | typeof STAR;
const ANY: Token = { source: "[^]" };

/** Supports `*`, `?`, `[a-z]` and `\`. undefined for a `[` without a `]` or a `\` at the end, which no name matches. */
export function parseName(glob: string): NamePattern | undefined {
  const tokens = toTokens(glob);
  if (!tokens) return undefined;
  const parts = toParts(tokens);
  const isSimple = tokens.every((token) => token === STAR || typeof token === "string");
  return isSimple && parts.length <= 2 ? toSimple(parts as readonly (readonly string[])[]) : toGeneral(parts);
}

function toTokens(glob: string): Token[] | undefined {
  const tokens: Token[] = [];
  const characters = Array.from(glob);
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index] as string;
    if (character === "\\") {
      index += 1;
      const escaped = characters[index];
      if (escaped === undefined) return undefined;
      tokens.push(escaped);
    } else if (character === "[") {
      const found = parseClass(characters, index + 1);
      if (!found) return undefined;
      tokens.push(found);
      index = found.end;
    } else if (character === "?") tokens.push(ANY);
    else if (character !== "*") tokens.push(character);
    else if (tokens.at(-1) !== STAR) tokens.push(STAR);
  }
  return tokens;
}

type NamePart = readonly Exclude<Token, typeof STAR>[];

/** The parts between the stars. */
function toParts(tokens: readonly Token[]): readonly NamePart[] {
  const parts: Exclude<Token, typeof STAR>[][] = [[]];
  for (const token of tokens) {
    if (token === STAR) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

/** Fast path for nearly all real patterns: no RegExp needed. */
function toSimple(parts: readonly (readonly string[])[]): NamePattern {
  const [prefix = "", suffix] = parts.map((part) => part.join(""));
  if (suffix === undefined) return { test: (name) => name === prefix, literal: prefix };
  if (prefix === "" && suffix === "") return { test: () => true };
  if (prefix === "") return { test: (name) => name.endsWith(suffix), suffix };
  if (suffix === "") return { test: (name) => name.startsWith(prefix) };
  const least = prefix.length + suffix.length;
  return { test: (name) => name.length >= least && name.startsWith(prefix) && name.endsWith(suffix) };
}

const toExpression = (part: NamePart): string =>
  part.map((token) => (typeof token === "string" ? toSource(token) : token.source)).join("");

/**
 * Matches part by part, each at its first possible position: backtracking never helps, so no pattern is slow. Each part is a
 * RegExp without repetition, which is fast.
 */
function toGeneral(parts: readonly NamePart[]): NamePattern {
  const expressions = parts.map((part, index) => {
    const [start, end] = [index === 0 ? "^" : "", index === parts.length - 1 ? "$" : ""];
    return new RegExp(start + toExpression(part) + end, "gu");
  });
  return { test: (name) => fitInOrder(expressions, name) };
}

function fitInOrder(expressions: readonly RegExp[], name: string): boolean {
  let at = 0;
  for (const expression of expressions) {
    expression.lastIndex = at;
    if (!expression.test(name)) return false;
    at = expression.lastIndex;
  }
  return true;
}
