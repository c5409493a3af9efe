export const COLUMNS = 80;

/** Breaks a text into lines no longer than the width, where words allow it. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** A term with its description beside it, or below it if the term is too long. */
export function toEntry(term: string, text: string, column: number): readonly string[] {
  const lines = wrap(text, COLUMNS - column).map((line) => " ".repeat(column) + line);
  const head = `  ${term}`;
  if (head.length > column - 2) return [head, ...lines];
  return [head.padEnd(column) + (lines[0] ?? "").trimStart(), ...lines.slice(1)];
}
