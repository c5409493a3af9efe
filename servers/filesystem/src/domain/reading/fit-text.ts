import { shownSize } from "@suite/server-kit/domain";

/** The end of the last line that fits as JSON; inside a line only if not even the first one fits. */
export function findEnd(text: string, start: number, limit: number): number {
  const end = findPlainEnd(text, start, limit);
  const size = shownSize(text.slice(start, end));
  return size <= limit || limit < LEAST_LIMIT
    ? end
    : findEnd(text, start, Math.floor((limit * limit) / size) - 1);
}

const LEAST_LIMIT = 64;

function findPlainEnd(text: string, start: number, limit: number): number {
  if (text.length - start <= limit) return text.length;
  const newline = text.lastIndexOf("\n", start + limit - 1);
  if (newline >= start) return newline + 1;
  const isPair = /[\uD800-\uDBFF]/.test(text.charAt(start + limit - 1));
  return start + limit - (isPair ? 1 : 0);
}
