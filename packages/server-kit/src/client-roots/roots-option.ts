import { ExitError } from "../exit.ts";

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

/** What bounds the directories of a server, as its options say. */
export interface DirectoryBounds {
  /** The operator's: the upper bound unless the policy is "replace". */
  readonly directories: readonly string[];
  readonly policy: RootsPolicy;
  /** The value of --http. Whoever calls over HTTP did not start the server, and may choose no directories. */
  readonly http: string | undefined;
}

/** Throws where a caller over HTTP could choose the directories. */
export function requireOwnDirectories({ directories, policy, http }: DirectoryBounds): void {
  if (http === undefined) return;
  if (directories.length === 0) {
    throw new ExitError(
      "usage",
      "Refusing to serve over HTTP without a directory: the caller would choose it",
      {
        hint: "Name the directories that may be used.",
      },
    );
  }
  if (policy === "replace") {
    throw new ExitError(
      "usage",
      "Refusing --roots replace over HTTP: the caller would choose the directories",
      {
        hint: "Use --roots narrow or --roots ignore.",
      },
    );
  }
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
    "How the client's roots affect the directories given here: narrow them (only what lies in both; roots elsewhere are disregarded), replace them (not over HTTP), or not at all (ignore).",
});
