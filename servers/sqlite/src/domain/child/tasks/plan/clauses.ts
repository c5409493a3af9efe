import { keywordOf, type Token } from "../../../gate/tokens.ts";

/** The part of a statement that a token stands in, as far as plans need to know. */
export type Clause = "FROM" | "MATCHING" | "USING" | "OTHER";

const CLAUSES: { readonly [keyword: string]: Clause } = {
  FROM: "FROM",
  JOIN: "FROM",
  UPDATE: "FROM",
  WHERE: "MATCHING",
  ON: "MATCHING",
  USING: "USING",
  ...Object.fromEntries(
    "SELECT GROUP HAVING ORDER LIMIT WINDOW SET VALUES RETURNING INTO WITH DELETE CASE UNION EXCEPT INTERSECT"
      .split(" ")
      .map((keyword) => [keyword, "OTHER"]),
  ),
};

/** For each token the clause around it; parentheses return to the clause that they were opened in. */
export function clausesOf(tokens: readonly Token[]): readonly Clause[] {
  const outer: Clause[] = [];
  let clause: Clause = "OTHER";
  return tokens.map((token, at) => {
    const keyword = keywordOf(token);
    const previous = tokens[at - 1];
    if (token.text === ")" || keyword === "END") {
      const before = outer.pop() ?? clause;
      // The list of columns is all there is to it.
      clause = before === "USING" ? "FROM" : before;
      return "OTHER";
    }
    const here = clause;
    if (token.text === "(" || keyword === "CASE") outer.push(clause);
    // Behind a name they hold what a function is given, or a list of columns.
    if (token.text === "(" && clause === "FROM" && !opensSource(previous)) clause = "OTHER";
    const isComparison = keyword === "FROM" && keywordOf(previous) === "DISTINCT";
    const next = isComparison ? undefined : CLAUSES[keyword];
    if (next) clause = keyword === "ON" && keywordOf(tokens[at + 1]) === "CONFLICT" ? "OTHER" : next;
    return next ? "OTHER" : here;
  });
}

/** Behind these, a table or something that stands for one begins. */
export const opensSource = (token: Token | undefined): boolean =>
  token?.text === "," || token?.text === "(" || ["FROM", "JOIN", "UPDATE"].includes(keywordOf(token));
