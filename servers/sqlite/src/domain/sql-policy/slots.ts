import { Fault } from "@suite/server-kit/domain";
import type { Token } from "./tokens.ts";

/** The places for parameters, each with its name as written, or undefined for a `?`. */
export type Slots = readonly (string | undefined)[];

/** SQLite's own limit. */
const MAX_SLOTS = 32_766;

/** Numbered as SQLite does it: `?` takes the next number, `?7` the seventh, a name its own. */
export function slotsOf(tokens: readonly Token[]): Slots {
  const slots: (string | undefined)[] = [];
  const numbers = new Map<string, number>();
  for (const { kind, text } of tokens) {
    if (kind !== "variable") continue;
    const number =
      text === "?" ? undefined : /^\?\d+$/.test(text) ? Number(text.slice(1)) : numbers.get(text);
    const at = (number ?? slots.length + 1) - 1;
    if (at < 0 || at >= MAX_SLOTS) throw new Fault("invalid_input", `Parameter ${text} is out of range.`);
    while (slots.length <= at) slots.push(undefined);
    if (text === "?") continue;
    // A place keeps its first name: SQLite knows `?001` and `?1` as one, and `:a` that comes first also answers to `?1`.
    slots[at] ??= text;
    numbers.set(text, at + 1);
  }
  requireDistinct(slots);
  return slots;
}

/** better-sqlite3 binds by name without the sign before it. */
function requireDistinct(slots: Slots): void {
  const signs = new Map<string, string>();
  for (const slot of slots) {
    if (slot === undefined) continue;
    const other = signs.get(slot.slice(1));
    if (other !== undefined && other !== slot) {
      throw new Fault("invalid_input", `The parameters ${other} and ${slot} have the same name.`, {
        hint: "Give them different names.",
      });
    }
    signs.set(slot.slice(1), slot);
  }
}
