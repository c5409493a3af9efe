import { defuse } from "../text/fence.ts";
import { toVisibleLine } from "../text/reveal.ts";

const LONGEST = 200;

/** A path for an error text: short, on one line, nothing in it that a reader cannot see or takes for a fence. */
export function quotePath(path: string): string {
  const short = path.length > LONGEST ? `${path.slice(0, LONGEST)}…` : path;
  return `"${defuse(toVisibleLine(short))}"`;
}
