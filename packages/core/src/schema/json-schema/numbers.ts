import { all, type Check, type CompilationSite, fail } from "./check.ts";

type Bound = "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf";
type Holds = (value: number, bound: number) => boolean;

const RULES: readonly (readonly [keyword: Bound, holds: Holds, words: string])[] = [
  ["minimum", (value, bound) => value >= bound, "at least"],
  ["maximum", (value, bound) => value <= bound, "at most"],
  ["exclusiveMinimum", (value, bound) => value > bound, "greater than"],
  ["exclusiveMaximum", (value, bound) => value < bound, "less than"],
  ["multipleOf", isMultiple, "a multiple of"],
];

export function numberCheck({ keywords }: CompilationSite): Check | undefined {
  const rules = RULES.map(([keyword, holds, words]): Check<number> | undefined => {
    const bound = keywords[keyword];
    if (bound === undefined) return undefined;
    return (value, run) => holds(value, bound) || fail(run, `must be ${words} ${bound}`);
  });
  const check = all(rules);
  return check && ((value, run) => typeof value !== "number" || check(value, run));
}

/** Exact in decimal: 0.07 is a multiple of 0.01 although no binary division says so. */
function isMultiple(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  if (!Number.isFinite(value)) return false;
  const [digits, exponent] = toDecimal(value);
  const [divisorDigits, divisorExponent] = toDecimal(divisor);
  const lowest = Math.min(exponent, divisorExponent);
  const scaled = digits * 10n ** BigInt(exponent - lowest);
  return scaled % (divisorDigits * 10n ** BigInt(divisorExponent - lowest)) === 0n;
}

function toDecimal(value: number): [digits: bigint, exponent: number] {
  const [mantissa = "0", exponent] = value.toExponential().split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}
