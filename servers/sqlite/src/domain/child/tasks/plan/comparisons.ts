import { keywordOf, nameOf, type Token } from "../../../gate/tokens.ts";
import type { Clause } from "./clauses.ts";

/** A column that decides which rows match. */
export interface Comparison {
  readonly qualifier?: string;
  readonly column: string;
  readonly kind: "equal" | "range";
  /** Compared with a column of another table, which is known only once that one is read. */
  readonly joins: boolean;
  /** Of both tables of a join by USING. */
  readonly isShared?: true;
}

interface Reference {
  readonly qualifier?: string;
  readonly column: string;
}

const OPERATORS: { readonly [operator: string]: Comparison["kind"] } = {
  "=": "equal",
  "==": "equal",
  IS: "equal",
  IN: "equal",
  "<": "range",
  ">": "range",
  "<=": "range",
  ">=": "range",
  BETWEEN: "range",
};

const BEFORE = new Set(["WHERE", "ON", "AND", "OR", "("]);
const VALUES = new Set(["NULL", "TRUE", "FALSE", "CASE", "CAST", "NOT", "EXISTS", "SELECT"]);

/** Comparisons of a column as it is: an index helps with none that computes something first. */
export function findComparisons(tokens: readonly Token[], clauses: readonly Clause[]): readonly Comparison[] {
  return tokens.flatMap((token, at) => {
    if (clauses[at] === "USING") return usingColumn(token);
    const kind = OPERATORS[keywordOf(token)] ?? OPERATORS[token.text];
    if (clauses[at] !== "MATCHING" || kind === undefined || keywordOf(tokens[at + 1]) === "NOT") return [];
    const left = referenceBefore(tokens, at);
    const right = referenceAfter(tokens, at);
    if (left && right) {
      if (left.qualifier !== undefined && left.qualifier === right.qualifier) return [];
      return [left, right].map((reference) => ({ ...reference, kind, joins: true }));
    }
    const only = left ?? right;
    return only ? [{ ...only, kind, joins: false }] : [];
  });
}

/** Whether one of several conditions is enough. */
export const hasAlternatives = (tokens: readonly Token[], clauses: readonly Clause[]): boolean =>
  tokens.some((token, at) => clauses[at] === "MATCHING" && keywordOf(token) === "OR");

const isName = (token: Token | undefined): token is Token =>
  (token?.kind === "word" || token?.kind === "quoted") && !VALUES.has(keywordOf(token));

function usingColumn(token: Token): Comparison[] {
  return isName(token) ? [{ column: nameOf(token) ?? "", kind: "equal", joins: true, isShared: true }] : [];
}

function referenceBefore(tokens: readonly Token[], operator: number): Reference | undefined {
  const [first, dot, last] = [tokens[operator - 3], tokens[operator - 2], tokens[operator - 1]];
  if (!isName(last)) return undefined;
  const isQualified = dot?.text === "." && isName(first);
  const before = tokens[operator - (isQualified ? 4 : 2)];
  if (!BEFORE.has(keywordOf(before)) && before?.text !== "(") return undefined;
  return toReference(isQualified ? first : undefined, last);
}

function referenceAfter(tokens: readonly Token[], operator: number): Reference | undefined {
  const [first, dot, last] = [tokens[operator + 1], tokens[operator + 2], tokens[operator + 3]];
  if (!isName(first)) return undefined;
  const isQualified = dot?.text === "." && isName(last);
  const after = tokens[operator + (isQualified ? 4 : 2)];
  // Part of something larger, or the name of a function.
  if (after?.kind === "symbol" && ![")", ";", ","].includes(after.text)) return undefined;
  return toReference(isQualified ? first : undefined, isQualified ? last : first);
}

function toReference(qualifier: Token | undefined, column: Token): Reference {
  const name = qualifier && nameOf(qualifier);
  return { ...(name === undefined ? {} : { qualifier: name }), column: nameOf(column) ?? "" };
}
