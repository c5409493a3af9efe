import { skipParentheses } from "../sql-policy/statement.ts";
import { keywordOf, nameOf, type Token, tokenize } from "../sql-policy/tokens.ts";

/** What only the SQL of a table says about a column. */
export interface ColumnClauses {
  /** In capitals. */
  readonly collation: string | undefined;
  /** How it is computed, in parentheses. */
  readonly expression: string | undefined;
}

/** In the order of the columns. The constraints of the table follow them. */
export const columnClausesOf = (sql: string): readonly ColumnClauses[] =>
  listOf(tokenize(sql)).items.map((item) => {
    const expression = behind("AS", item);
    return {
      collation: nameOf(behind("COLLATE", item)?.[0])?.toUpperCase(),
      expression: expression && textOf(sql, [expression]),
    };
  });

export interface IndexClauses {
  /** As they are written. */
  readonly keys: readonly string[];
  readonly where: string | undefined;
}

export function indexClausesOf(sql: string): IndexClauses {
  const tokens = tokenize(sql);
  const { items, end } = listOf(tokens);
  // WHERE, and the condition.
  const [, first] = tokens.slice(end);
  // SQLite keeps a comment at the end.
  const where = first && sql.slice(first.start, tokens.at(-1)?.end);
  return { keys: items.map((item) => textOf(sql, item)), where };
}

/** A token, or all of them from a parenthesis to the one that closes it. */
type Group = readonly Token[];

/** The items of the first list in parentheses, and the place behind it. */
function listOf(tokens: readonly Token[]): {
  readonly items: readonly (readonly Group[])[];
  readonly end: number;
} {
  const open = tokens.findIndex(({ text }) => text === "(");
  const end = skipParentheses(tokens, open);
  const items: Group[][] = [[]];
  for (let at = open + 1; at < end - 1;) {
    const next = Math.max(at + 1, skipParentheses(tokens, at));
    if (tokens[at]?.text === ",") items.push([]);
    else items.at(-1)?.push(tokens.slice(at, next));
    at = next;
  }
  return { items, end };
}

/** COLLATE and AS are reserved: as bare words, they are always keywords. */
const behind = (keyword: string, item: readonly Group[]): Group | undefined =>
  item[item.findLastIndex(([token]) => keywordOf(token) === keyword) + 1 || item.length];

const textOf = (sql: string, groups: readonly Group[]): string =>
  sql.slice(groups[0]?.[0]?.start, groups.at(-1)?.at(-1)?.end);
