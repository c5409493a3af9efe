import { permission } from "./permission.ts";
import { results } from "./results.ts";
import type { ContractRow } from "./row.ts";
import { understanding } from "./understanding.ts";
import { work } from "./work.ts";

/** The contract by its parts, in the order of the documents. */
export const CONTRACT_ROWS: { readonly [part: string]: readonly ContractRow[] } = {
  results,
  work,
  permission,
  understanding,
};
