import { fitText } from "@suite/server-kit/domain";

/** The end of the last line that fits as JSON; inside a line only if not even the first one fits. */
export function findEnd(text: string, start: number, limit: number): number {
  const end = start + fitText(text, start, limit).length;
  const newline = end < text.length ? text.lastIndexOf("\n", end - 1) : -1;
  return newline >= start ? newline + 1 : end;
}
