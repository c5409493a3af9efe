import type { CompiledSchema } from "../schema/compile.ts";
import { findConversionFault, findFault } from "../schema/find-fault.ts";

/** Every key of a definition. The compiler reports one that is missing here. Counts are whole numbers, limits at least 1. */
export type KeysOf<Definition> = {
  readonly [Key in keyof Required<Definition>]: "required" | "optional" | "count" | "limit";
};

/** A timer with more milliseconds would fire at once. */
const MOST = 2 ** 31 - 1;

/**
 * Finds mistakes that types would find, for authors who use JavaScript or a cast. Throws when the server is created;
 * otherwise they would show up in answers, or never.
 */
export function checkKeys<Definition>(what: string, given: Definition, known: KeysOf<Definition>): void {
  if (typeof given !== "object" || given === null) throw new TypeError(`${what} must be an object`);
  const names = Object.keys(known);
  const unknown = Object.keys(given).filter((key) => !names.includes(key));
  if (unknown.length > 0) {
    throw new TypeError(`${what} has no member ${unknown.join(", ")}. It may have ${names.join(", ")}.`);
  }
  const isMissing = (key: string): boolean =>
    known[key as keyof Definition] === "required" && given[key as keyof Definition] === undefined;
  const missing = names.filter(isMissing);
  if (missing.length > 0) throw new TypeError(`${what} lacks ${missing.join(", ")}`);
  // Other members are not read: they may be made only when they are needed.
  for (const [key, kind] of Object.entries<string>(known)) {
    if (kind !== "count" && kind !== "limit") continue;
    const value: unknown = given[key as keyof Definition];
    const least = kind === "limit" ? 1 : 0;
    if (value === undefined || (Number.isInteger(value) && Number(value) >= least && Number(value) <= MOST))
      continue;
    throw new TypeError(`${what}: ${key} must be a whole number from ${least} to ${MOST}`);
  }
}

export function checkFunction(what: string, member: string, value: unknown): void {
  if (typeof value !== "function") throw new TypeError(`${member} of ${what} must be a function`);
}

/** Otherwise a schema that cannot work would fail in every list of tools, or let any arguments through. */
export function checkSchema(what: string, member: "input" | "output", schema: unknown): void {
  const fault = schema === undefined ? undefined : findFault(schema, member === "input");
  if (fault !== undefined) throw new TypeError(`${member} of ${what} ${fault}`);
}

/** Types that JSON does not have (dates, big integers) show up only here: one of them would fail the whole list. */
export function checkConversion(what: string, member: "input" | "output", schema: CompiledSchema): void {
  const fault = findConversionFault(schema, member === "input");
  if (fault !== undefined) throw new TypeError(`${member} of ${what} ${fault}`);
}

export function checkList(member: string, value: unknown): void {
  if (!Array.isArray(value)) throw new TypeError(`${member} must be a list: write ${member}: [ … ]`);
  const other = value.findIndex((item) => typeof item !== "object" || item === null);
  if (other !== -1) throw new TypeError(`${member}[${other}] must be an object`);
}

/** What a definition is called in errors. */
export const nameOf = (kind: string, name: unknown): string =>
  typeof name === "string" && name !== "" ? `${kind} ${JSON.stringify(name)}` : `A ${kind} without a name`;
