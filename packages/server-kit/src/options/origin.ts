import type { Problem } from "./problem.ts";

/** Where a value came from; `name` is the flag, the variable or the file. */
export interface Origin {
  readonly kind: "flag" | "argument" | "environment" | "file" | "default";
  readonly name?: string;
}

/** Of each option, by key; nothing where all are defaults. */
export interface Origins {
  readonly [key: string]: Origin;
}

/** Whoever typed it can correct it; whoever configured it is somebody else. */
export const reasonOf = (origin: Origin | undefined): Problem["reason"] =>
  origin?.kind === "flag" || origin?.kind === "argument" ? "usage" : "configuration";
