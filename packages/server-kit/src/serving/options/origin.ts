import type { Problem } from "./problem.ts";

/** Where a value came from; `name` is the flag, the variable or the file. */
export interface Origin {
  readonly kind: "flag" | "argument" | "environment" | "file" | "default";
  readonly name?: string;
}

/** The origin of each option, by key. May be empty if all are defaults. */
export interface Origins {
  readonly [key: string]: Origin;
}

/** Errors on the command line are usage errors; those in variables and files are configuration errors. */
export const reasonOf = (origin: Origin | undefined): Problem["reason"] =>
  origin?.kind === "flag" || origin?.kind === "argument" ? "usage" : "configuration";
