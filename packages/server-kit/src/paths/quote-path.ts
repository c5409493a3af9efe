import { toVisibleLine } from "../text/reveal.ts";

const LONGEST = 200;

/** A path for an error text: short, on one line, and nothing in it that a reader cannot see. */
export function quotePath(path: string): string {
  return `"${toVisibleLine(path.length > LONGEST ? `${path.slice(0, LONGEST)}…` : path)}"`;
}
