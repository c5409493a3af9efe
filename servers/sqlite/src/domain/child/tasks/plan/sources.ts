import { keywordOf, nameOf, type Token } from "../../../gate/tokens.ts";
import { type Clause, opensSource } from "./clauses.ts";

/** A table as a statement uses it. */
export interface Source {
  /** What the rest of the statement, and the plan, call it. */
  readonly alias: string;
  /** As the schema spells it. Nothing for a subquery, a function, a common table expression. */
  readonly table?: string;
}

/** What may follow a table without being another name for it. */
const NO_ALIAS = new Set(
  `ON USING WHERE GROUP ORDER LIMIT HAVING WINDOW JOIN LEFT RIGHT FULL INNER CROSS NATURAL OUTER UNION INTERSECT EXCEPT SET
   INDEXED NOT RETURNING VALUES DEFAULT FROM`.split(/\s+/),
);

/** What a statement reads from, by its own words; what is behind views is not among it. */
export function findSources(
  tokens: readonly Token[],
  clauses: readonly Clause[],
  tableOf: (name: string) => string | undefined,
): readonly Source[] {
  const common = commonTables(tokens);
  return tokens.flatMap((token, at): readonly Source[] => {
    if (token.text === ")") return toSource(clauses[at + 1] === "FROM" ? aliasAfter(tokens, at) : undefined);
    if (clauses[at] !== "FROM" || !isName(token) || !opensSource(tokens[startOf(tokens, at) - 1])) return [];
    // The name of a schema, or of a function that gives rows.
    if ([".", "("].includes(tokens[at + 1]?.text ?? "")) return [];
    const name = nameOf(token) ?? "";
    const table = common.has(name.toLowerCase()) ? undefined : tableOf(name);
    return toSource(aliasAfter(tokens, at) ?? name, table);
  });
}

const toSource = (alias: string | undefined, table?: string): readonly Source[] =>
  alias === undefined ? [] : [{ alias, ...(table !== undefined && { table }) }];

const isName = (token: Token | undefined): boolean => token?.kind === "word" || token?.kind === "quoted";

/** Where `main.name` begins. */
const startOf = (tokens: readonly Token[], at: number): number =>
  tokens[at - 1]?.text === "." ? at - 2 : at;

function aliasAfter(tokens: readonly Token[], at: number): string | undefined {
  const next = tokens[at + 1];
  if (keywordOf(next) === "AS") return nameOf(tokens[at + 2]);
  return isName(next) && !NO_ALIAS.has(keywordOf(next)) ? nameOf(next) : undefined;
}

/** `WITH name [(columns)] AS [[NOT] MATERIALIZED] (…)`: they hide tables of the same name. */
function commonTables(tokens: readonly Token[]): ReadonlySet<string> {
  const names = tokens.flatMap((token, at) => {
    const isPlace = tokens[at - 1]?.text === "," || ["WITH", "RECURSIVE"].includes(keywordOf(tokens[at - 1]));
    if (!isPlace || !isName(token)) return [];
    const after = tokens[at + 1]?.text === "(" ? behindColumns(tokens, at + 1) : at + 1;
    const isCommon =
      keywordOf(tokens[after]) === "AS" &&
      (tokens[after + 1]?.text === "(" || ["NOT", "MATERIALIZED"].includes(keywordOf(tokens[after + 1])));
    return isCommon ? [(nameOf(token) ?? "").toLowerCase()] : [];
  });
  return new Set(names);
}

function behindColumns(tokens: readonly Token[], from: number): number {
  const end = tokens.findIndex(({ text }, at) => at > from && text === ")");
  return end === -1 ? tokens.length : end + 1;
}
