/** The named classes of POSIX, for ASCII, in RegExp syntax. */
const NAMED: { readonly [name: string]: string } = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  blank: String.raw` \t`,
  cntrl: String.raw`\0-\x1F\x7F`,
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: String.raw`!-\/:-@\[-\x60\{-~`,
  space: String.raw`\t-\r `,
  upper: "A-Z",
  xdigit: "0-9A-Fa-f",
};

interface ParsedClass {
  /** As a RegExp source for the flag u. */
  readonly source: string;
  /** The index of the closing bracket. */
  readonly end: number;
}

/** Parses the part between `[` and `]`. undefined if there is no `]`, or for an unknown named class. */
export function parseClass(characters: readonly string[], start: number): ParsedClass | undefined {
  const isNegated = characters[start] === "!" || characters[start] === "^";
  const first = start + (isNegated ? 1 : 0);
  let members = "";
  let index = first;
  while (index < characters.length) {
    // As the first character, `]` is literal.
    if (characters[index] === "]" && index > first) {
      return { source: `[${isNegated ? "^" : ""}${members}]`, end: index };
    }
    const item = isNamed(characters, index) ? parseNamed(characters, index) : parseRange(characters, index);
    if (!item) return undefined;
    members += item.source;
    index = item.end;
  }
  return undefined;
}

/** A literal character as a RegExp source for the flag u. */
export const toSource = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** `[:` without `:]` is literal. */
const isNamed = (characters: readonly string[], index: number): boolean =>
  characters[index] === "[" && characters[index + 1] === ":" && closeOf(characters, index) > index + 2;

const closeOf = (characters: readonly string[], index: number): number => {
  const close = characters.indexOf("]", index + 2);
  return characters[close - 1] === ":" ? close - 1 : -1;
};

function parseNamed(characters: readonly string[], index: number): ParsedClass | undefined {
  const close = closeOf(characters, index);
  const source = NAMED[characters.slice(index + 2, close).join("")];
  return source === undefined ? undefined : { source, end: close + 2 };
}

function parseRange(characters: readonly string[], index: number): ParsedClass | undefined {
  const from = parseMember(characters, index);
  if (!from) return undefined;
  const isRange = characters[from.end] === "-" && ![undefined, "]"].includes(characters[from.end + 1]);
  if (!isRange) return { source: toSource(from.character), end: from.end };
  const to = parseMember(characters, from.end + 1);
  if (!to) return undefined;
  // A reversed range is empty.
  const isEmpty = codeOf(from.character) > codeOf(to.character);
  return { source: isEmpty ? "" : `${toSource(from.character)}-${toSource(to.character)}`, end: to.end };
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
