import { refuseKernel, refuseOutside, refuseProtected } from "./refusals.ts";
import type { Roots } from "./roots.ts";

declare const proof: unique symbol;

/**
 * An absolute path without links that was inside the roots when it was located. Only a PathGuard creates one.
 * The disk may have changed since: to use it, go through openFile, holdDirectory or holdParent.
 */
export type SafePath = string & { readonly [proof]: true };

/** Everything that decides whether a path may be used. */
export interface PathRules {
  readonly roots: Roots;
  readonly protect: (path: string) => string | undefined;
  /** See descriptor-path.ts. */
  readonly hasDescriptorPaths: boolean;
}

export function requireInside(real: string, given: string, { roots }: PathRules): void {
  const verdict = roots.judge(real);
  if (verdict === "outside") throw refuseOutside(given, roots.real);
  if (verdict === "kernel") throw refuseKernel(given);
}

export function requireUnprotected(real: string, given: string, { protect }: PathRules): void {
  const reason = protect(real);
  if (reason !== undefined) throw refuseProtected(given, reason);
}
