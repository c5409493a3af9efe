import { invalidParams } from "./error.ts";

/** JSON of a value that a client sent, which may be nested too deeply for the stack. */
export function stringify(toValue: () => unknown): string {
  try {
    return JSON.stringify(toValue());
  } catch (thrown) {
    if (thrown instanceof RangeError) throw invalidParams("The request is nested too deeply");
    throw thrown;
  }
}
