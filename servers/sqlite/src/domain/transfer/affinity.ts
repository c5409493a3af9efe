/** How a column turns what it is given into what it keeps. */
export type Affinity = "TEXT" | "NUMERIC" | "INTEGER" | "REAL" | "NONE";

/** By SQLite's own rules, in their order. */
const RULES: readonly (readonly [RegExp, Affinity])[] = [
  [/INT/i, "INTEGER"],
  [/CHAR|CLOB|TEXT/i, "TEXT"],
  [/BLOB|^$/i, "NONE"],
  [/REAL|FLOA|DOUB/i, "REAL"],
];

export function affinityOf(type: string, isStrict: boolean): Affinity {
  if (isStrict && /^any$/i.test(type)) return "NONE";
  return RULES.find(([pattern]) => pattern.test(type))?.[1] ?? "NUMERIC";
}
