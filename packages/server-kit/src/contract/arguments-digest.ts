import type { Params } from "@suite/core";

import { digestOf } from "../text/digest.ts";
import { toCanonicalJson } from "../text/json-value.ts";

const LENGTH = 32;

/** The same for the same arguments in any order; none where they are nested deeper than the stack reaches. */
export function digestOfArguments(args: Params): string | undefined {
  try {
    return digestOf(toCanonicalJson(args), LENGTH);
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}
