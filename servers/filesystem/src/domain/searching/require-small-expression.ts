import { Fault } from "@suite/server-kit/domain";

/** Steps of the compiled expression. Every character of a text may cost as many: so much is still a matter of seconds. */
const MOST_STEPS = 2000;

/** A few characters can stand for very many: a count makes copies of what it counts. */
export function requireSmallExpression(expression: { programSize(): number }): void {
  if (expression.programSize() <= MOST_STEPS) return;
  throw new Fault("invalid_input", "The expression is too large: its counts stand for too many copies", {
    hint: "Use smaller counts, or * and + instead of them.",
  });
}
