import { refuseKernel, refuseOutside, refuseProtected } from "./refusals.ts";
import type { Roots } from "./roots.ts";

/** Everything that decides whether a path may be used. */
export interface PathRules {
  readonly roots: Roots;
  readonly protect: (path: string) => string | undefined;
  /** Whether the system shows what a descriptor is: see descriptor-path.ts. */
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
