/** Lines a table up for a terminal: the first column is text and starts left, the others are figures and end right. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) => formatLine(line, widths)).join("\n");
}

function formatLine(cells: readonly string[], widths: readonly number[]): string {
  return widths
    .map((width, column) => {
      const cell = cells[column] ?? "";
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    })
    .join("  ")
    .trimEnd();
}
