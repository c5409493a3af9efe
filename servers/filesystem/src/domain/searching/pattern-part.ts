/** Steps that a pattern may take at one position of a text. With more, RE2 is used. */
const MOST_STEPS = 2000;
/** Limits: each literal is searched for in each file. */
const MOST_LITERALS = 8;
const MOST_CLUES = 3;
/** Shorter literals are in nearly every file. */
const LEAST_LENGTH = 2;

/** Properties of a part of a regular expression. */
export interface PatternPart {
  /** For the platform's engine. */
  readonly source: string;
  /** Upper bounds for the number of ways to match at one position, and for the steps that takes. */
  readonly ways: number;
  readonly steps: number;
  /** Ends with an unbounded repetition: nothing that can fail may follow. */
  readonly isEndless: boolean;
  /** Whether these bounds hold for a backtracking engine. */
  readonly isBounded: boolean;
  /** One character, or one of a set. */
  readonly isSingle: boolean;
  /** The only text that it matches. */
  readonly text?: string | undefined;
  /** Every match contains one text of each clue. The most selective comes first. */
  readonly clues: readonly Clue[];
}

/** Alternative texts, one of which must occur. */
export type Clue = readonly string[];

const PLAIN = { ways: 1, steps: 1, isEndless: false, isBounded: true, isSingle: false, clues: [] };

export const toCharacter = (source: string, text: string): PatternPart => ({
  ...PLAIN,
  source,
  text,
  isSingle: true,
});
export const toSet = (source: string): PatternPart => ({ ...PLAIN, source, isSingle: true });
/** Has no width. */
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

/** Runs of literal characters, and the clues of the parts. The longest are the most selective. */
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
