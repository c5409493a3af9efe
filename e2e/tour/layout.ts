/** Words of `text` in lines of at most `width`; a word longer than that has a line of its own. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter((found) => found !== "")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length > width && line !== "") {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === "" ? lines : [...lines, line];
}

export interface Definition {
  readonly label: string;
  readonly text: string;
}

/** The texts in one column beside their labels; below them where that would leave too little room to read. */
export function toDefinitionLines(definitions: readonly Definition[], width: number): Definition[] {
  const column = Math.max(...definitions.map(({ label }) => label.length)) + 2;
  const isNarrow = width - column < 24;
  return definitions.flatMap(({ label, text }) => {
    if (isNarrow) {
      const below = wrap(text, width - 2).map((line) => ({ label: "  ", text: line }));
      return [{ label, text: "" }, ...below];
    }
    const [first = "", ...rest] = wrap(text, width - column);
    const blank = " ".repeat(column);
    return [
      { label: label.padEnd(column), text: first },
      ...rest.map((line) => ({ label: blank, text: line })),
    ];
  });
}

export interface Row {
  readonly label: string;
  readonly cells: readonly string[];
}

/** A table whose cells share one width; turned into a list where the terminal is too narrow for it. */
export function toTable(header: readonly string[], rows: readonly Row[], width: number): string[] {
  const labelWidth = Math.max(...rows.map(({ label }) => label.length));
  const cellWidth = Math.max(
    ...[header, ...rows.map(({ cells }) => cells)].flat().map(({ length }) => length),
  );
  const toLine = (label: string, cells: readonly string[]): string =>
    [label.padEnd(labelWidth + 1), ...cells.map((cell) => cell.padEnd(cellWidth))].join(" ").trimEnd();
  if (labelWidth + 1 + header.length * (cellWidth + 1) <= width) {
    return [toLine("", header), ...rows.map(({ label, cells }) => toLine(label, cells))];
  }
  return rows.flatMap(({ label, cells }) => [
    label,
    ...cells.map((cell, column) => `  ${header[column] ?? ""} ${cell}`),
  ]);
}
