/** How the client's roots and the operator's directories go together. */
export type RootsPolicy = "narrow" | "replace" | "ignore";

export interface RootsOption {
  readonly flag: "--roots";
  readonly env: string;
  readonly type: "enum";
  readonly values: readonly RootsPolicy[];
  readonly default: "narrow";
  readonly group: string;
  readonly description: string;
}

/** The option of a server that keeps to `ClientRoots`. */
export const createRootsOption = (env: string, group: string): RootsOption => ({
  flag: "--roots",
  env,
  type: "enum",
  values: ["narrow", "replace", "ignore"],
  default: "narrow",
  group,
  description:
    "How the client's roots affect the directories given here: narrow them (only what lies in both; roots elsewhere are disregarded), replace them, or not at all (ignore).",
});
