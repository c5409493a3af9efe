import { Fault } from "@suite/server-kit/domain";

import type { Fields } from "./answers/projection.ts";

export interface DoneBefore {
  /** What was done, and to what: "title of octo/app#1 changed". Empty for the first step. */
  readonly words: string;
  readonly hint: string;
  readonly details: Fields;
}

/** Runs a later step. If it fails, the error also says what was already done. */
export async function proceed(
  { words, hint, details }: DoneBefore,
  failed: string,
  step: () => Promise<unknown>,
): Promise<void> {
  try {
    await step();
  } catch (thrown) {
    if (!(thrown instanceof Fault) || words === "") throw thrown;
    throw new Fault(thrown.code, `${words}, but ${failed}: ${thrown.message}`, {
      retryable: false,
      hint: [hint, ...(thrown.hint === undefined ? [] : [thrown.hint])].join(" "),
      details: { ...thrown.details, ...details },
      cause: thrown,
    });
  }
}
