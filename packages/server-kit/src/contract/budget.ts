import type { Params } from "@suite/core";

import { DEFAULT_BUDGET } from "../text/fit-items.ts";

/** For the header, fences, field names and the note; the rest is for the content. */
const RESERVE = 1000;

/** What a result may have in each view. `max_bytes` of the call counts for more than the default, and the operator's most for more than both. */
export const limitOf = (args: Params | undefined, maxResult: number): number => {
  const asked = args?.["max_bytes"];
  return Math.min(typeof asked === "number" ? asked : DEFAULT_BUDGET + RESERVE, maxResult);
};

/** What is left of it for the content. */
export const toBudget = (limit: number): number => limit - Math.min(RESERVE, Math.floor(limit / 2));
