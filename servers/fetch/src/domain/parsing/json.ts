const LARGEST = 1_000_000;
/** What fetch shows at once. In anything longer, indentation would take up to half of every piece. */
const LONGEST_INDENTED = 5000;

const isSpace = (text: string, at: number): boolean => " \n\r\t".includes(text[at] ?? "x");

/**
 * Puts each value on its own line, exactly as it was written: parsing would round long numbers. Returns text that is not JSON, or
 * is too large, unchanged.
 */
export function toPrettyJson(text: string): string {
  if (text.length > LARGEST || !isJson(text)) return text;
  const indented = print(text, "  ", LONGEST_INDENTED);
  return indented.length > LONGEST_INDENTED ? print(text, "", Infinity) : indented;
}

/** Stops where it is longer than wanted. */
function print(text: string, indent: string, longest: number): string {
  let pretty = "";
  let depth = 0;
  let start = 0;
  let isInString = false;
  const newLine = (): string => `\n${indent.repeat(depth)}`;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] ?? "";
    if (isInString) {
      if (letter === "\\") at += 1;
      else if (letter === '"') isInString = false;
      continue;
    }
    if (letter === '"') isInString = true;
    if (!"{}[],:".includes(letter)) continue;
    pretty += text.slice(start, at).trim();
    if (letter === "{" || letter === "[") {
      while (isSpace(text, at + 1)) at += 1;
      const isEmpty = text[at + 1] === "}" || text[at + 1] === "]";
      if (isEmpty) at += 1;
      else depth += 1;
      pretty += isEmpty ? letter + text[at] : letter + newLine();
    } else if (letter === "," || letter === ":") {
      pretty += letter === "," ? letter + newLine() : ": ";
    } else {
      depth -= 1;
      pretty += newLine() + letter;
    }
    if (pretty.length > longest) return pretty;
    start = at + 1;
  }
  return pretty + text.slice(start).trim();
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
