import { parseClass, type CharacterTest } from "./character-class.ts";

/** Whether one name fits, that is a part of a path between two slashes. */
export type NameTest = (name: string) => boolean;

export interface NamePattern {
  readonly test: NameTest;
  /** The only name that fits, where there is only one. */
  readonly literal?: string;
  /** What a name must end with, where that is all it must do. */
  readonly suffix?: string;
}

const STAR = "*";
const anyCharacter: CharacterTest = () => true;
type Token = string | CharacterTest;

/** `*`, `?`, `[a-z]` and `\` in one name. Undefined where no name can ever fit: a `[` without its `]`, a `\` at the end. */
export function parseName(glob: string): NamePattern | undefined {
  const tokens = toTokens(glob);
  if (!tokens) return undefined;
  const stars = tokens.filter((token) => token === STAR).length;
  const isSimple = tokens.every((token) => typeof token !== "function");
  return isSimple && stars <= 1 ? toSimple(tokens, stars) : toGeneral(tokens);
}

/** An escaped star is a character like others: it is told from a wildcard by being written as a test. */
const literalStar: CharacterTest = (character) => character === STAR;

function toTokens(glob: string): Token[] | undefined {
  const tokens: Token[] = [];
  const characters = Array.from(glob);
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index] as string;
    if (character === "\\") {
      index += 1;
      const escaped = characters[index];
      if (escaped === undefined) return undefined;
      tokens.push(escaped === STAR ? literalStar : escaped);
    } else if (character === "[") {
      const found = parseClass(characters, index + 1);
      if (!found) return undefined;
      tokens.push(found.test);
      index = found.end;
    } else if (character === "?") tokens.push(anyCharacter);
    else if (character !== STAR || tokens.at(-1) !== STAR) tokens.push(character);
  }
  return tokens;
}

/** Nearly all patterns that people write: compared without going through them character by character. */
function toSimple(tokens: readonly string[], stars: number): NamePattern {
  const text = tokens.join("");
  if (stars === 0) return { test: (name) => name === text, literal: text };
  const at = tokens.indexOf(STAR);
  const [prefix, suffix] = [tokens.slice(0, at).join(""), tokens.slice(at + 1).join("")];
  if (prefix === "" && suffix === "") return { test: () => true };
  if (prefix === "") return { test: (name) => name.endsWith(suffix), suffix };
  if (suffix === "") return { test: (name) => name.startsWith(prefix) };
  const least = prefix.length + suffix.length;
  return { test: (name) => name.length >= least && name.startsWith(prefix) && name.endsWith(suffix) };
}

/** Characters that take two units: all others can be counted as they are. */
const PAIRS = /[\uD800-\uDBFF][\uDC00-\uDFFF]/;

function toGeneral(tokens: readonly Token[]): NamePattern {
  return { test: (name) => matchTokens(PAIRS.test(name) ? Array.from(name) : name, tokens) };
}

/** On a mismatch only the last star is stretched. Earlier ones never need it, so no pattern takes long. */
function matchTokens(name: ArrayLike<string>, tokens: readonly Token[]): boolean {
  let [at, next] = [0, 0];
  let [lastStar, stretchedTo] = [-1, 0];
  while (at < name.length) {
    const token = tokens[next];
    if (token === STAR) {
      lastStar = next;
      stretchedTo = at;
      next += 1;
    } else if (token !== undefined && fits(token, name[at] as string)) {
      at += 1;
      next += 1;
    } else if (lastStar >= 0) {
      stretchedTo += 1;
      at = stretchedTo;
      next = lastStar + 1;
    } else return false;
  }
  while (tokens[next] === STAR) next += 1;
  return next === tokens.length;
}

const fits = (token: Token, character: string): boolean =>
  typeof token === "string" ? token === character : token(character);
