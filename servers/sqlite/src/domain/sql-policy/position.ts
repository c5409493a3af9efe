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
