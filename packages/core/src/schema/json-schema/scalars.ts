import { isObject } from "../../jsonrpc/message.ts";
import {
  type Check,
  type CompilationSite,
  type Mismatch,
  type ValidationRun,
  accept,
  all,
  fail,
} from "./check.ts";
import { describeMismatch, toPlural, typeName } from "./wording.ts";
import { cut } from "./issue.ts";
import { toRegExp } from "./patterns.ts";

const TESTS: Record<string, (value: unknown) => boolean> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
  string: (value) => typeof value === "string",
  array: Array.isArray,
  object: isObject,
};

const SAME_AS_TYPEOF: ReadonlySet<string> = new Set(["boolean", "number", "string"]);

/** If the type is wrong, nothing else is checked: every other message would be noise. */
export function typeCheck(type: string | readonly string[] | undefined, rest: Check = accept): Check {
  if (type === undefined) return rest;
  const names = typeof type === "string" ? [type] : type;
  const tests = names.map((name) => TESTS[name]!);
  const [name] = names;
  if (tests.length === 1 && SAME_AS_TYPEOF.has(name!)) {
    return (value, run) => (typeof value === name ? rest(value, run) : failType(names, value, run));
  }
  const test = tests.length === 1 ? tests[0]! : (value: unknown) => tests.some((is) => is(value));
  return (value, run) => (test(value) ? rest(value, run) : failType(names, value, run));
}

function failType(expected: readonly string[], value: unknown, run: ValidationRun): false {
  if (run.issues === undefined) return false;
  const isFraction = expected.includes("integer") && typeof value === "number";
  const mismatch: Mismatch = {
    kind: "type",
    expected,
    found: isFraction ? "fractional number" : typeName(value),
  };
  return fail(run, describeMismatch(mismatch), mismatch);
}

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

export function stringCheck({ keywords, limits }: CompilationSite): Check | undefined {
  const { minLength, maxLength, pattern, format } = keywords;
  const check = all([
    minLength === undefined ? undefined : minLengthCheck(minLength),
    maxLength === undefined ? undefined : maxLengthCheck(maxLength),
    pattern === undefined ? undefined : patternCheck(pattern),
    format === undefined || !limits.formatAssertion ? undefined : formatCheck(format),
  ]);
  return check && ((value, run) => typeof value !== "string" || check(value, run));
}

// A code point takes one or two units: counting is needed only where the number of units leaves the answer open.
function minLengthCheck(least: number): Check<string> {
  const message = least === 1 ? "must not be empty" : `must have at least ${toPlural(least, "character")}`;
  return (value, run) =>
    value.length >= 2 * least ||
    (value.length >= least && countCodePoints(value) >= least) ||
    fail(run, message);
}

function maxLengthCheck(most: number): Check<string> {
  const message = `must have at most ${toPlural(most, "character")}`;
  return (value, run) =>
    value.length <= most ||
    (value.length <= 2 * most && countCodePoints(value) <= most) ||
    fail(run, message);
}

function patternCheck(source: string): Check<string> {
  const expression = toRegExp(source)!;
  return (value, run) => expression.test(value) || fail(run, `must match the pattern ${cut(source, 100)}`);
}

function countCodePoints(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text.codePointAt(index)! > 0xffff) index += 1;
    count += 1;
  }
  return count;
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const URI = /^[a-z][a-z\d+.-]*:(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is;
const URI_AUTHORITY = /^(?:[^@[\]]*@)?(?:\[[\da-f:.]+\]|[^:@[\]]*)(?::\d*)?$/i;
const URI_TEXT = /^(?:[\w.~!$&'()*+,;=:@/?-]|%[\da-f]{2})*$/i;
const EMAIL_LOCAL = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const EMAIL_DOMAIN = /^[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/i;

// The longest mail path is 254 octets (RFC 5321, 4.5.3.1.3); the bound also keeps the expressions linear in practice.
const MAX_EMAIL = 254;

function isUri(text: string): boolean {
  const [whole, authority = "", ...parts] = URI.exec(text) ?? [];
  if (whole === undefined || !URI_AUTHORITY.test(authority)) return false;
  return [authority.replaceAll(/[[\]]/g, ""), ...parts].every((part) => URI_TEXT.test(part ?? ""));
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  if (at < 1 || text.length > MAX_EMAIL) return false;
  return EMAIL_LOCAL.test(text.slice(0, at)) && EMAIL_DOMAIN.test(text.slice(at + 1));
}

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined) return false;
  // The day before the first of the next month is the last of this one.
  const lastDay = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= lastDay;
}

function isTime(text: string): boolean {
  const [, hour, minute, second, sign, offsetHour = "0", offsetMinute = "0"] = TIME.exec(text) ?? [];
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return false;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return false;
  if (Number(second) < 60) return true;
  // A leap second is the last of a day in UTC.
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === "-" ? -1 : 1);
  const utc = Number(hour) * 60 + Number(minute) - offset;
  return (utc + 2 * 1440) % 1440 === 1439;
}

const isDateTime = (text: string): boolean =>
  /^.{10}t/i.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11));

const FORMATS: ReadonlyMap<string, readonly [accepts: (text: string) => boolean, words: string]> = new Map([
  ["email", [isEmail, "an email address"]],
  ["uri", [isUri, "an absolute URI"]],
  ["date", [isDate, "a date like 2026-01-31"]],
  ["date-time", [isDateTime, "a date and time like 2026-01-31T12:00:00Z"]],
  ["uuid", [(text) => UUID.test(text), "a UUID"]],
]);

/** Undefined for formats that stay annotations. */
function formatCheck(format: string): Check<string> | undefined {
  const entry = FORMATS.get(format);
  if (entry === undefined) return undefined;
  const [accepts, words] = entry;
  return (value, run) => accepts(value) || fail(run, `must be ${words}`);
}
