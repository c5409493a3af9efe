export type CharacterTest = (character: string) => boolean;

/** The named classes of POSIX, for ASCII. */
const NAMED: { readonly [name: string]: RegExp } = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  // oxlint-disable-next-line no-control-regex -- that is the class
  cntrl: /[\u0000-\u001F\u007F]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[\t-\r ]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

interface ParsedClass {
  readonly test: CharacterTest;
  /** The index of the closing bracket. */
  readonly end: number;
}

/** What stands between `[` and `]`. Undefined where it does not end, or names a class that is none. */
export function parseClass(characters: readonly string[], start: number): ParsedClass | undefined {
  const isNegated = characters[start] === "!" || characters[start] === "^";
  const tests: CharacterTest[] = [];
  const first = start + (isNegated ? 1 : 0);
  let index = first;
  while (index < characters.length) {
    // As the first character it stands for itself.
    if (characters[index] === "]" && index > first) {
      const test: CharacterTest = (character) => tests.some((fits) => fits(character)) !== isNegated;
      return { test, end: index };
    }
    const item = isNamed(characters, index) ? parseNamed(characters, index) : parseRange(characters, index);
    if (!item) return undefined;
    tests.push(item.test);
    index = item.end;
  }
  return undefined;
}

/** `[:` without its `:]` is two characters like others. */
const isNamed = (characters: readonly string[], index: number): boolean =>
  characters[index] === "[" && characters[index + 1] === ":" && closeOf(characters, index) > index + 2;

const closeOf = (characters: readonly string[], index: number): number => {
  const close = characters.indexOf("]", index + 2);
  return characters[close - 1] === ":" ? close - 1 : -1;
};

function parseNamed(characters: readonly string[], index: number): ParsedClass | undefined {
  const close = closeOf(characters, index);
  const named = NAMED[characters.slice(index + 2, close).join("")];
  return named && { test: (character) => named.test(character), end: close + 2 };
}

function parseRange(characters: readonly string[], index: number): ParsedClass | undefined {
  const from = parseMember(characters, index);
  if (!from) return undefined;
  const isRange = characters[from.end] === "-" && ![undefined, "]"].includes(characters[from.end + 1]);
  if (!isRange) return { test: (character) => character === from.character, end: from.end };
  const to = parseMember(characters, from.end + 1);
  if (!to) return undefined;
  const [low, high] = [codeOf(from.character), codeOf(to.character)];
  return {
    test: (character) => codeOf(character) >= low && codeOf(character) <= high,
    end: to.end,
  };
}

function parseMember(
  characters: readonly string[],
  index: number,
): { character: string; end: number } | undefined {
  const at = characters[index] === "\\" ? index + 1 : index;
  const character = characters[at];
  return character === undefined ? undefined : { character, end: at + 1 };
}

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;
