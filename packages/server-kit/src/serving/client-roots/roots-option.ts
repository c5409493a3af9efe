import { ExitError } from "../options/exit.ts";

/** How the client's roots affect the operator's directories. */
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

/** The options that limit a server's directories. */
export interface DirectoryBounds {
  /** The operator's: the upper bound unless the policy is "replace". */
  readonly directories: readonly string[];
  readonly policy: RootsPolicy;
  /** The value of --http. A caller over HTTP did not start the server and must not choose directories. */
  readonly http: string | undefined;
}

/** Throws if a caller over HTTP could choose the directories. */
export function requireOwnDirectories({ directories, policy, http }: DirectoryBounds): void {
  if (http === undefined) return;
  if (directories.length === 0) {
    throw new ExitError(
      "usage",
      "Refusing to serve over HTTP without a directory: the caller would choose it",
      { hint: "Name the directories that may be used." },
    );
  }
  if (policy === "replace") {
    throw new ExitError(
      "usage",
      "Refusing --roots replace over HTTP: the caller would choose the directories",
      { hint: "Use --roots narrow or --roots ignore." },
    );
  }
}

/** The --roots option, for servers that use `ClientRoots`. */
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
