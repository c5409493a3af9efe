import { toCanonicalJson } from "./values.ts";
import { all, type Check, type CompilationSite, descend, fail, isSettled, passes, spend } from "./check.ts";
import { toJsonText, toPlural } from "./wording.ts";

type ArrayCheck = Check<readonly unknown[]>;

export function arrayCheck(site: CompilationSite): Check | undefined {
  const { minItems, maxItems, uniqueItems } = site.keywords;
  const check = all([
    minItems === undefined ? undefined : lengthCheck("at least", minItems, (length) => length >= minItems),
    maxItems === undefined ? undefined : lengthCheck("at most", maxItems, (length) => length <= maxItems),
    itemsCheck(site),
    containsCheck(site),
    uniqueItems === true ? uniqueCheck : undefined,
  ]);
  return check && ((value, run) => !Array.isArray(value) || check(value, run));
}

function lengthCheck(words: string, bound: number, holds: (length: number) => boolean): ArrayCheck {
  return ({ length }, run) =>
    holds(length) || fail(run, `must have ${words} ${toPlural(bound, "item")}, has ${length}`);
}

function itemsCheck({ keywords, tracked, compile }: CompilationSite): ArrayCheck | undefined {
  const prefix = (keywords.prefixItems ?? []).map((schema) => compile(schema, false));
  const rest = keywords.items === undefined ? undefined : compile(keywords.items, false);
  if (prefix.length === 0 && rest === undefined) return undefined;
  return (items, run) => {
    const end = rest === undefined ? Math.min(prefix.length, items.length) : items.length;
    spend(run, end);
    let ok = true;
    for (let index = 0; index < end; index += 1) {
      const check = index < prefix.length ? prefix[index]! : rest!;
      if (!descend(check, items[index], index, run)) {
        if (isSettled(run)) return false;
        ok = false;
      }
      if (tracked) run.evaluated.push(index);
    }
    return ok;
  };
}

function containsCheck({ keywords, tracked, compile }: CompilationSite): ArrayCheck | undefined {
  const { contains, minContains = 1, maxContains = Infinity } = keywords;
  if (contains === undefined) return undefined;
  const check = compile(contains, false);
  // Once enough items match, more of them matter only to an upper bound or to `unevaluatedItems`.
  const enough = tracked || maxContains < Infinity ? Infinity : minContains;
  return (items, run) => {
    spend(run, items.length);
    let matches = 0;
    for (let index = 0; index < items.length && matches < enough; index += 1) {
      if (!passes(check, items[index], run)) continue;
      matches += 1;
      if (tracked) run.evaluated.push(index);
    }
    if (matches >= minContains && matches <= maxContains) return true;
    const bound = matches < minContains ? `at least ${minContains}` : `at most ${maxContains}`;
    return (
      run.issues !== undefined &&
      fail(run, `must contain ${bound} matching ${toJsonText(contains)}, has ${matches}`)
    );
  };
}

const uniqueCheck: ArrayCheck = (items, run) => {
  if (items.length < 2) return true;
  const plain = new Map<unknown, number>();
  // Separate, because a string may equal the text of an object.
  const containers = new Map<string, number>();
  spend(run, items.length);
  for (const [index, item] of items.entries()) {
    const isPlain = typeof item !== "object" || item === null;
    const seen: Map<unknown, number> = isPlain ? plain : containers;
    const key = isPlain ? item : toCanonicalJson(item, run);
    const earlier = seen.get(key);
    if (earlier !== undefined)
      return fail(run, `items must be unique, but item ${index} repeats item ${earlier}`);
    seen.set(key, index);
  }
  return true;
};
