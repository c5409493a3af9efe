import type { Params } from "@suite/core";

import { digestOf } from "../../domain/text/digest.ts";
import { toCanonicalJson } from "../../domain/text/json-value.ts";

const LENGTH = 32;

/** Independent of the order of arguments. Undefined if they are nested too deeply for the stack. */
export function digestOfArguments(args: Params): string | undefined {
  try {
    return digestOf(toCanonicalJson(args), LENGTH);
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}
