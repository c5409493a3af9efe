/** Steps that a pattern may take at one place of a text. More, and it is left to the other engine. */
const MOST_STEPS = 2000;
/** Each is looked for in each file. */
const MOST_LITERALS = 8;
const MOST_CLUES = 3;
/** A shorter one is in nearly every file. */
const LEAST_LENGTH = 2;

/** What is known of a part of a regular expression. */
export interface PatternPart {
  /** For the platform's engine. */
  readonly source: string;
  /** In how many ways it can match at one place, and how many steps that takes: upper bounds. */
  readonly ways: number;
  readonly steps: number;
  /** Ends with a repetition without end, so nothing that can fail may follow. */
  readonly isEndless: boolean;
  /** Whether the numbers above hold for an engine that goes back and tries again. */
  readonly isBounded: boolean;
  /** One character, or one of a set. */
  readonly isSingle: boolean;
  /** The only text that it matches. */
  readonly text?: string | undefined;
  /** What it matches holds one text of each, the most telling first. */
  readonly clues: readonly Clue[];
}

/** One of several texts. */
export type Clue = readonly string[];

const PLAIN = { ways: 1, steps: 1, isEndless: false, isBounded: true, isSingle: false, clues: [] };

export const toCharacter = (source: string, text: string): PatternPart => ({
  ...PLAIN,
  source,
  text,
  isSingle: true,
});
export const toSet = (source: string): PatternPart => ({ ...PLAIN, source, isSingle: true });
/** Takes no room. */
export const toAssertion = (source: string): PatternPart => ({ ...PLAIN, source, text: "" });

export function toChoice(parts: readonly PatternPart[]): PatternPart {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const clue = parts.flatMap(({ clues }) => clues[0] ?? []);
  const isClue = parts.every(({ clues }) => clues.length > 0) && clue.length <= MOST_LITERALS;
  const steps = sum(parts.map((part) => part.steps));
  return {
    source: parts.map(({ source }) => source).join("|"),
    ways: sum(parts.map(({ ways }) => ways)),
    steps,
    isEndless: parts.some(({ isEndless }) => isEndless),
    isBounded: parts.every(({ isBounded }) => isBounded) && steps <= MOST_STEPS,
    isSingle: false,
    clues: isClue ? [clue] : [],
  };
}

export function toSequence(parts: readonly PatternPart[]): PatternPart {
  let [ways, steps] = [1, 1];
  for (const part of parts) {
    steps += ways * part.steps;
    ways *= part.ways;
  }
  const isBounded = parts.every(
    (part, index) => part.isBounded && (!part.isEndless || index === parts.length - 1),
  );
  return {
    source: parts.map(({ source }) => source).join(""),
    ways,
    steps,
    isEndless: parts.at(-1)?.isEndless === true,
    isBounded: isBounded && steps <= MOST_STEPS,
    isSingle: false,
    clues: findClues(parts),
  };
}

/** Runs of characters, and what the parts know by themselves. The longest tell most. */
function findClues(parts: readonly PatternPart[]): readonly Clue[] {
  const clues = parts.flatMap((part) => part.clues);
  let run = "";
  for (const { text } of parts) {
    if (text === undefined) {
      clues.push([run]);
      run = "";
    } else run += text;
  }
  return [...clues, [run]]
    .filter((clue) => shortest(clue) >= LEAST_LENGTH)
    .toSorted((a, b) => shortest(b) - shortest(a))
    .slice(0, MOST_CLUES);
}

const shortest = (clue: Clue): number => Math.min(...clue.map(({ length }) => length));
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
