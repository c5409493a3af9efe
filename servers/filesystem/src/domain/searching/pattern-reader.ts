import { type PatternPart, toAssertion, toCharacter, toChoice, toSequence, toSet } from "./pattern-part.ts";

const LARGEST_COUNT = 64;

/** RE2's `\s`, which differs from the platform's. */
const SPACES = String.raw`\t\n\f\r `;
const toTable = (letters: string): { readonly [letter: string]: string } =>
  Object.fromEntries(Array.from(letters, (letter) => [letter, `\\${letter}`]));
const CLASS_ESCAPES: { readonly [letter: string]: string } = { ...toTable("dwtnrfv"), s: SPACES };
const SET_ESCAPES: { readonly [letter: string]: string } = {
  ...toTable("dDwWtnrfv"),
  s: `[${SPACES}]`,
  S: `[^${SPACES}]`,
};
const SETS: ReadonlySet<string> = new Set([SPACES, "\\d", "\\w"]);
const SYNTAX = /[\\^$.*+?()[\]{}|/]/;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const COUNT = /^\{(\d{1,3})(?:(,)(\d{1,3})?)?\}/;

/** Thrown for syntax that is not supported here, or that the two engines may interpret differently. */
class Unread extends Error {}

/** Analyses a pattern. undefined if it has unsupported syntax. */
export function readPattern(pattern: string): PatternPart | undefined {
  try {
    const reader = new PatternReader(pattern);
    const part = reader.readChoice();
    return reader.isAtEnd ? part : undefined;
  } catch (error) {
    if (error instanceof Unread) return undefined;
    throw error;
  }
}

class PatternReader {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#pattern.length;
  }

  readChoice(): PatternPart {
    const parts = [this.#readSequence()];
    while (this.#take("|")) parts.push(this.#readSequence());
    return toChoice(parts);
  }

  #readSequence(): PatternPart {
    const parts: PatternPart[] = [];
    while (!this.isAtEnd && this.#peek() !== "|" && this.#peek() !== ")") {
      parts.push(this.#readRepeated(this.#readAtom()));
    }
    return toSequence(parts);
  }

  #readAtom(): PatternPart {
    const character = this.#next();
    if (character === "(") return this.#readGroup();
    if (character === "[") return toSet(this.#readClass());
    if (character === "\\") return this.#readEscape();
    if (character === "^" || character === "$") return toAssertion(character);
    if (character === ".") return toSet(".");
    if ("*+?{}]".includes(character)) throw new Unread();
    return toCharacter(toLiteral(character), character);
  }

  #readGroup(): PatternPart {
    if (this.#take("?") && !this.#take(":")) throw new Unread();
    const choice = this.readChoice();
    if (!this.#take(")")) throw new Unread();
    return { ...choice, source: `(?:${choice.source})`, isSingle: false, text: undefined };
  }

  #readEscape(): PatternPart {
    const letter = this.#next();
    if (letter === "b") return toAssertion("\\b");
    const set = SET_ESCAPES[letter];
    if (set !== undefined) return toSet(set);
    if (!PUNCTUATION.test(letter)) throw new Unread();
    return toCharacter(toLiteral(letter), letter);
  }

  #readClass(): string {
    const isNegated = this.#take("^");
    let members = "";
    while (!this.#take("]") || members === "") {
      const member = this.#readMember();
      members += member;
      if (this.#peek() !== "-" || this.#pattern[this.#at + 1] === "]") continue;
      // Both engines agree on a range only between two plain characters.
      this.#at += 1;
      const end = this.#readMember();
      if (SETS.has(member) || SETS.has(end)) throw new Unread();
      members += `-${end}`;
    }
    return `[${isNegated ? "^" : ""}${members}]`;
  }

  #readMember(): string {
    const character = this.#next();
    if (character === "]" || (character === "[" && this.#peek() === ":")) throw new Unread();
    if (character !== "\\") return character === "-" ? "\\-" : toLiteral(character);
    const letter = this.#next();
    const known = CLASS_ESCAPES[letter];
    if (known === undefined && !PUNCTUATION.test(letter)) throw new Unread();
    return known ?? (letter === "-" ? "\\-" : toLiteral(letter));
  }

  #readRepeated(part: PatternPart): PatternPart {
    const [sign, least, most] = this.#readSign();
    if (sign === "") return part;
    const isLazy = this.#take("?");
    if ("*+?{".includes(this.#peek() ?? "none")) throw new Unread();
    const isGroup = part.source.startsWith("(");
    if (!part.isSingle && !isGroup) throw new Unread();
    return {
      source: part.source + sign + (isLazy ? "?" : ""),
      ways: isGroup || most === Infinity ? part.ways + 1 : most - least + 1,
      steps: part.steps * Math.max(1, most === Infinity ? least : most) + 1,
      isEndless: part.isEndless || most === Infinity,
      isBounded: part.isBounded && (isGroup ? least === 0 && most === 1 : isFew(least, most)),
      isSingle: false,
      clues: least > 0 ? part.clues : [],
    };
  }

  /** The quantifier as written, and its bounds. */
  #readSign(): readonly [sign: string, least: number, most: number] {
    if (this.#take("*")) return ["*", 0, Infinity];
    if (this.#take("+")) return ["+", 1, Infinity];
    if (this.#take("?")) return ["?", 0, 1];
    if (this.#peek() !== "{") return ["", 1, 1];
    const [sign, least, comma, most] = COUNT.exec(this.#pattern.slice(this.#at)) ?? [];
    if (sign === undefined) throw new Unread();
    this.#at += sign.length;
    const highest = most === undefined ? Infinity : Number(most);
    return [sign, Number(least), comma === undefined ? Number(least) : highest];
  }

  #peek(): string | undefined {
    return this.#pattern[this.#at];
  }

  /** A whole code point: both engines treat a surrogate pair as one character. */
  #next(): string {
    const code = this.#pattern.codePointAt(this.#at);
    if (code === undefined) throw new Unread();
    const character = String.fromCodePoint(code);
    this.#at += character.length;
    return character;
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }
}

const isFew = (least: number, most: number): boolean =>
  least <= LARGEST_COUNT && (most <= LARGEST_COUNT || most === Infinity);

const toLiteral = (character: string): string => (SYNTAX.test(character) ? `\\${character}` : character);
