import type { Challenge, Source } from "./discovery.ts";
import type { ClientAuthorizationOptions } from "./options.ts";

/** Scopes are words between spaces (RFC 6749, section 3.3). */
const toList = (scope: string | undefined): string[] => scope?.split(" ").filter((word) => word !== "") ?? [];

/** Every scope of both, once. */
export function join(one: string | undefined, other: string | undefined): string | undefined {
  const all = new Set([...toList(one), ...toList(other)]);
  return all.size === 0 ? undefined : [...all].join(" ");
}

export const covers = (granted: string | undefined, needed: string): boolean =>
  toList(needed).every((word) => toList(granted).includes(word));

/** What the server asks for now, or what it needs for basic use (authorization#scope-selection-strategy). */
export function chooseScope(
  challenge: Challenge,
  { as, scopes }: Source,
  grant: ClientAuthorizationOptions["grant"],
): string | undefined {
  const scope = challenge.scope ?? scopes?.join(" ");
  const isLogin = typeof grant === "object" && "visit" in grant;
  // Alone it would mean that nothing else is wanted.
  if (!isLogin || scope === undefined || as.scopes_supported?.includes("offline_access") !== true)
    return scope;
  return join(scope, "offline_access");
}
