import { invalidParams } from "./error.ts";

/** JSON of what a client sent, which it may have nested as deep as it likes; the stack has an end. */
export function stringify(toValue: () => unknown): string {
  try {
    return JSON.stringify(toValue());
  } catch (thrown) {
    if (thrown instanceof RangeError) throw invalidParams("The request is nested too deeply");
    throw thrown;
  }
}
