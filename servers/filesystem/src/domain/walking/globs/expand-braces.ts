/** Fewer than a pattern could ask for: each pair of braces multiplies. */
const MOST_PATTERNS = 100;

/** `*.{ts,md}` as the patterns that it stands for. Undefined where they are too many. */
export function expandBraces(glob: string): string[] | undefined {
  const done: string[] = [];
  const open = [glob];
  while (done.length + open.length <= MOST_PATTERNS) {
    const next = open.pop();
    if (next === undefined) return done;
    const choices = expandFirst(next);
    if (choices) open.push(...choices);
    else done.push(next);
  }
  return undefined;
}

/** The first pair with a comma in it, taken apart. */
function expandFirst(glob: string): string[] | undefined {
  for (let start = 0; start < glob.length; start += 1) {
    if (glob[start] === "\\") start += 1;
    else if (glob[start] === "{") {
      const choices = readChoices(glob, start);
      if (choices) return choices;
    }
  }
  return undefined;
}

function readChoices(glob: string, start: number): string[] | undefined {
  const cuts = [start];
  let depth = 0;
  for (let index = start; index < glob.length; index += 1) {
    const character = glob[index];
    if (character === "\\") index += 1;
    else if (character === "{") depth += 1;
    else if (character === "," && depth === 1) cuts.push(index);
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return cuts.length > 1 ? toPatterns(glob, [...cuts, index]) : undefined;
    }
  }
  return undefined;
}

function toPatterns(glob: string, cuts: readonly number[]): string[] {
  const [before, after] = [glob.slice(0, cuts[0]), glob.slice((cuts.at(-1) ?? 0) + 1)];
  return cuts.slice(1).map((cut, index) => before + glob.slice((cuts[index] ?? 0) + 1, cut) + after);
}
