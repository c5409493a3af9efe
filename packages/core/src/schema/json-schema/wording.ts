import type { Mismatch } from "./check.ts";
import { cut } from "./issue.ts";

const MAX_LISTED = 12;

export function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** `a, b, c`, cut where the list gets long. */
export function toList(words: readonly string[]): string {
  const more = words.length - MAX_LISTED;
  return words.slice(0, MAX_LISTED).join(", ") + (more > 0 ? `, … (${more} more)` : "");
}

export function toJsonText(value: unknown): string {
  try {
    return cut(JSON.stringify(value), 80);
  } catch {
    // Nested too deeply for the stack: a schema may be, in places that no keyword checks.
    return "…";
  }
}

export function toPlural(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

export function describeMismatch({ kind, expected, found }: Mismatch): string {
  if (kind === "type") return `expected ${expected.join(" or ")}, got ${found}`;
  if (expected.length === 0) return "is not allowed";
  return expected.length === 1 ? `must be ${expected[0]}` : `must be one of ${toList(expected)}`;
}
