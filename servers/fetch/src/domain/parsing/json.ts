const LARGEST = 1_000_000;
/** In characters. An array or object that is no longer is written on one line. */
const LONGEST_LINE = 120;
/** Levels. Indentation for more would soon be longer than the values. */
const DEEPEST_INDENTED = 8;
const NEW_LINES = Array.from({ length: DEEPEST_INDENTED + 1 }, (_, depth) => `\n${" ".repeat(depth)}`);
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Puts each value on its own line, except in short arrays and objects. Values stay exactly as they were written: parsing would
 * round long numbers. Returns text that is not JSON, or is too large, unchanged.
 */
export const toPrettyJson = (text: string): string =>
  text.length > LARGEST || !isJson(text) ? text : print(text.match(TOKEN) ?? []);

const isOpening = (token: string): boolean => token === "{" || token === "[";
const isClosing = (token: string): boolean => token === "}" || token === "]";

function print(tokens: readonly string[]): string {
  const short = findShort(tokens);
  const pretty: string[] = [];
  let depth = 0;
  /** The open arrays and objects that are on one line. */
  let inLine = 0;
  const newLine = (): string => NEW_LINES[Math.min(depth, DEEPEST_INDENTED)] ?? "";
  for (const [index, token] of tokens.entries()) {
    if (isOpening(token)) {
      pretty.push(token);
      if (inLine > 0 || short.has(index)) inLine += 1;
      else {
        depth += 1;
        pretty.push(newLine());
      }
    } else if (isClosing(token)) {
      if (inLine > 0) inLine -= 1;
      else {
        depth -= 1;
        pretty.push(newLine());
      }
      pretty.push(token);
    } else if (token === ",") pretty.push(",", inLine > 0 ? " " : newLine());
    else pretty.push(token === ":" ? ": " : token);
  }
  return pretty.join("");
}

/** The positions of the tokens that open an array or object short enough for one line. */
function findShort(tokens: readonly string[]): ReadonlySet<number> {
  const short = new Set<number>();
  const open: { readonly index: number; readonly start: number }[] = [];
  let written = 0;
  for (const [index, token] of tokens.entries()) {
    if (isOpening(token)) open.push({ index, start: written });
    written += token === "," || token === ":" ? 2 : token.length;
    const closed = isClosing(token) ? open.pop() : undefined;
    if (closed && written - closed.start <= LONGEST_LINE) short.add(closed.index);
  }
  return short;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
