import type { Fields } from "@suite/check/wires";

/** A call that was made to take long, or to take much. */
export interface Bomb {
  readonly what: string;
  readonly tool: string;
  readonly args: Fields;
  /** Any of these; a success is "done". */
  readonly outcomes: readonly string[];
  /** How often others must be answered meanwhile, where all of it at once would not take long enough to see. */
  readonly leastPings?: number;
}

const half = "ab".repeat(25_000);
const edit = (oldText: string, more: Fields = {}): Fields => ({
  path: "text",
  edits: [{ oldText, newText: "", ...more }],
});
const replace = (pattern: string, more: Fields = {}): Fields => ({
  path: ".",
  pattern,
  replacement: "",
  ...more,
});
const find = (pattern: string, ...excludePatterns: string[]): Fields => ({
  path: "names",
  pattern,
  excludePatterns,
});

export const BOMBS: readonly Bomb[] = [
  {
    what: "an expression with nested stars",
    tool: "search_content",
    args: { path: ".", pattern: "(a*)*(a*)*(a|aa)*b$", regex: true },
    outcomes: ["done"],
  },
  {
    what: "an expression with nested stars",
    tool: "replace_in_files",
    args: replace("(a*)*(a*)*(a|aa)*c$", { regex: true }),
    outcomes: ["done"],
  },
  {
    what: "an expression with nested plusses",
    tool: "replace_in_files",
    args: replace("(([a-z])+.)+[A-Z]([a-z])+$", { regex: true }),
    outcomes: ["done"],
  },
  {
    what: "counts in counts",
    tool: "search_content",
    args: { path: ".", pattern: "((a{100}){100}){100}", regex: true },
    outcomes: ["invalid_input"],
  },
  {
    what: "large counts in a row",
    tool: "search_content",
    args: { path: ".", pattern: "a{1000}".repeat(100), regex: true },
    outcomes: ["invalid_input"],
  },
  {
    what: "large counts in a row",
    tool: "replace_in_files",
    args: replace("a{1000}".repeat(100), { regex: true }),
    outcomes: ["invalid_input"],
  },
  {
    what: "an expression of ten megabytes",
    tool: "replace_in_files",
    args: replace("(a|b)*".repeat(1_700_000), { regex: true }),
    outcomes: ["invalid_input"],
  },
  {
    what: "a text of ten megabytes",
    tool: "replace_in_files",
    args: replace("x".repeat(10_000_000)),
    outcomes: ["done"],
  },
  {
    what: "a text of ten megabytes, in any case",
    tool: "replace_in_files",
    args: replace("x".repeat(10_000_000), { ignore_case: true }),
    outcomes: ["invalid_input"],
  },
  {
    what: "a text that nearly repeats itself",
    tool: "replace_in_files",
    args: replace(`${half}c${half}`),
    outcomes: ["done"],
  },
  {
    what: "more matches than anybody means",
    tool: "replace_in_files",
    args: replace("a"),
    outcomes: ["too_large"],
  },
  {
    what: "a replacement that multiplies",
    tool: "replace_in_files",
    args: { ...replace("ab"), replacement: "x".repeat(1_000_000) },
    outcomes: ["too_large"],
  },
  {
    what: "globs by the hundred thousand",
    tool: "replace_in_files",
    args: replace("q", { include: Array.from({ length: 200_000 }, (_, index) => `*${index}`) }),
    outcomes: ["invalid_input"],
  },
  {
    what: "a pattern of ten megabytes",
    tool: "search_content",
    args: { path: ".", pattern: "x".repeat(10_000_000) },
    outcomes: ["invalid_input"],
  },
  {
    what: "braces for a billion patterns",
    tool: "search_files",
    args: find("{a,b}".repeat(30)),
    outcomes: ["invalid_input"],
  },
  {
    what: "fifty levels of anything",
    tool: "search_files",
    args: find(`${"**/".repeat(50)}a`),
    outcomes: ["done"],
  },
  {
    what: "stars and letters",
    tool: "search_files",
    args: find(`${"*a".repeat(400)}*b`),
    outcomes: ["done"],
  },
  {
    what: "directories and stars",
    tool: "directory_tree",
    args: { path: ".", excludePatterns: [`${"**/a*/".repeat(120)}b`] },
    outcomes: ["done"],
  },
  {
    what: "a hundred globs with a hundred choices",
    tool: "search_files",
    args: find("*", ...Array.from({ length: 100 }, () => `{${"a,".repeat(40)}b}${"*a".repeat(400)}b`)),
    outcomes: ["invalid_input"],
  },
  {
    what: "a hundred globs with open braces",
    tool: "search_files",
    args: find("*", ...Array.from({ length: 100 }, (_, index) => `{a,b}${index}${"{".repeat(900)}`)),
    outcomes: ["invalid_input"],
  },
  {
    what: "a glob of ten megabytes",
    tool: "search_files",
    args: find("*".repeat(10_000_000)),
    outcomes: ["invalid_input"],
  },
  {
    what: "a hundred thousand edits",
    tool: "edit_file",
    args: { path: "text", edits: Array.from({ length: 100_000 }, () => ({ oldText: "a", newText: "b" })) },
    outcomes: ["invalid_input"],
  },
  {
    what: "five hundred edits of a large file",
    tool: "edit_file",
    args: {
      path: "edited",
      edits: Array.from({ length: 500 }, (_, index) => ({
        oldText: index === 0 ? "first" : `now${index - 1};`,
        newText: `now${index};`,
      })),
    },
    outcomes: ["done"],
    leastPings: 10,
  },
  {
    what: "edits that double the file",
    tool: "edit_file",
    args: {
      path: "small",
      edits: Array.from({ length: 500 }, () => ({ oldText: "s", newText: "ss", replace_all: true })),
    },
    outcomes: ["too_large"],
  },
  {
    what: "ten megabytes to look for",
    tool: "edit_file",
    args: edit("a\n".repeat(5_000_000)),
    outcomes: ["not_found"],
  },
  {
    what: "a text that nearly repeats itself",
    tool: "edit_file",
    args: edit(`${half}c${half}`),
    outcomes: ["not_found"],
  },
  {
    what: "lines that nearly repeat themselves",
    tool: "edit_file",
    args: { ...edit(`${" a\n".repeat(60_000)}b`), path: "short" },
    outcomes: ["not_found"],
  },
  {
    what: "matches on every line",
    tool: "edit_file",
    args: { ...edit("a", { replace_all: true }), path: "short" },
    outcomes: ["done", "too_large"],
  },
  {
    what: "nothing like it in a large file",
    tool: "edit_file",
    args: { ...edit("abcdefgi ".repeat(60)), path: "lines" },
    outcomes: ["not_found"],
  },
  {
    what: "base64 with many blanks",
    tool: "write_file",
    args: { path: "new", encoding: "base64", content: `AAAA${"\n".repeat(300_000)}!` },
    outcomes: ["invalid_input"],
  },
  {
    what: "thirty megabytes",
    tool: "write_file",
    args: { path: "new", content: "a line\n".repeat(4_500_000) },
    outcomes: ["done"],
  },
  {
    what: "ten megabytes that differ in every line",
    tool: "write_file",
    args: { path: "lines", content: "another line\n".repeat(300_000), dry_run: true },
    outcomes: ["done"],
  },
  {
    what: "an id of ten megabytes",
    tool: "undo",
    args: { id: "0".repeat(10_000_000) },
    outcomes: ["not_found"],
  },
  {
    what: "a missing name like two thousand others",
    tool: "read_text_file",
    args: { path: `names/${"ba".repeat(120)}` },
    outcomes: ["not_found"],
  },
];
