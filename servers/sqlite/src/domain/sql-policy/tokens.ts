export type TokenKind = "word" | "quoted" | "string" | "blob" | "number" | "variable" | "symbol" | "illegal";

/** A token as SQLite would cut it; spaces and comments are left out. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

// SQLite takes every character beyond ASCII for a letter, but a byte order mark that begins a token for a space.
const SPACE = /[ \t\n\f\r\uFEFF]+/y;
const SHAPES: readonly (readonly [TokenKind, RegExp])[] = [
  ["blob", /[xX]'(?:[0-9a-fA-F]{2})*'/y],
  ["illegal", /[xX]'[^']*'?/y],
  ["word", /[A-Za-z_\u0080-\uFEFE\uFF00-\uFFFF][\w$\u0080-\uFFFF]*/y],
  // A letter behind a number makes both one illegal token.
  [
    "number",
    /(?:0[xX][0-9a-fA-F][0-9a-fA-F_]*|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?)(?![\w$\u0080-\uFFFF])/y,
  ],
  ["illegal", /\.?\d[\w$\u0080-\uFFFF.]*/y],
  ["variable", /\?\d*|[:@$#][\w$\u0080-\uFFFF]+/y],
  ["symbol", /->>?|\|\||<<|<=|<>|>>|>=|==|!=|[-+*/%=<>|&~,;.()]/y],
];
const QUOTES: { readonly [open: string]: { readonly close: string; readonly kind: TokenKind } } = {
  "'": { close: "'", kind: "string" },
  '"': { close: '"', kind: "quoted" },
  "`": { close: "`", kind: "quoted" },
  "[": { close: "]", kind: "quoted" },
};

/** Cuts SQL into tokens by SQLite's own rules, so that the policy and SQLite never read the same text differently. */
export function tokenize(sql: string): Token[] {
  const tokens: Token[] = [];
  for (let at = skipBlank(sql, 0); at < sql.length;) {
    const token = quotedAt(sql, at) ?? plainAt(sql, at);
    tokens.push(token);
    at = skipBlank(sql, token.end);
  }
  return tokens;
}

/** Where the next token begins: behind spaces and comments. An open comment reaches to the end. */
function skipBlank(sql: string, from: number): number {
  for (let at = from; ;) {
    SPACE.lastIndex = at;
    if (SPACE.test(sql)) {
      at = SPACE.lastIndex;
    } else if (sql.startsWith("--", at)) {
      at = endOf(sql, "\n", at + 2);
    } else if (sql.startsWith("/*", at)) {
      at = endOf(sql, "*/", at + 2);
    } else {
      return at;
    }
  }
}

function endOf(sql: string, mark: string, from: number): number {
  const found = sql.indexOf(mark, from);
  return found === -1 ? sql.length : found + mark.length;
}

function quotedAt(sql: string, start: number): Token | undefined {
  const quote = QUOTES[sql.charAt(start)];
  if (!quote) return undefined;
  let end = sql.indexOf(quote.close, start + 1);
  // A doubled quote stands for itself; a bracket cannot be escaped.
  while (end !== -1 && quote.close !== "]" && sql.charAt(end + 1) === quote.close) {
    end = sql.indexOf(quote.close, end + 2);
  }
  return end === -1
    ? { kind: "illegal", text: sql.slice(start), start, end: sql.length }
    : { kind: quote.kind, text: sql.slice(start, end + 1), start, end: end + 1 };
}

function plainAt(sql: string, start: number): Token {
  for (const [kind, shape] of SHAPES) {
    shape.lastIndex = start;
    const text = shape.exec(sql)?.[0];
    if (text !== undefined) return { kind, text, start, end: start + text.length };
  }
  return { kind: "illegal", text: sql.charAt(start), start, end: start + 1 };
}

/** The keyword that a bare word may be, in capitals. Only ASCII letters fold: SQLite knows no others. */
export const keywordOf = (token: Token | undefined): string =>
  token?.kind === "word" && /^[A-Za-z_]+$/.test(token.text) ? token.text.toUpperCase() : "";

/** The name that a word or a quoted name stands for. SQLite also takes a string where only a name can be. */
export function nameOf(token: Token | undefined): string | undefined {
  if (token?.kind === "word") return token.text;
  if (token?.kind !== "quoted" && token?.kind !== "string") return undefined;
  const inner = token.text.slice(1, -1);
  const close = token.text.slice(-1);
  return close === "]" ? inner : inner.replaceAll(close + close, close);
}

/** A name as SQL, whatever it contains. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A place in a text as editors count it: from 1, a character beyond the basic plane as one. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export function positionOf(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return {
    line: before.split("\n").length,
    column: Array.from(before.slice(lineStart)).length + 1,
  };
}

export const toPlace = ({ line, column }: Position): string => `${line}:${column}`;
