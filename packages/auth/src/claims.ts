import { type Caller, type Scope, toPrincipal } from "@suite/core/http";

import { toCanonicalUri } from "./addresses.ts";
import { InvalidTokenError } from "./error.ts";
import type { AuthSettings } from "./options.ts";

/** The claims of a token, read from it or from the authorization server. No member is checked yet. */
export type Claims = { readonly [name: string]: unknown };

const INCLUDED: { readonly [S in Scope]: readonly Scope[] } = {
  admin: ["read", "write", "admin"],
  write: ["read", "write"],
  read: ["read"],
};

/** The caller that the claims of a genuine token name. */
export function toCaller(claims: Claims, settings: AuthSettings): Caller {
  checkAudience(claims["aud"], settings.audience);
  // A token bound to a key is only valid together with a proof, and proofs are not checked here (RFC 9449, section 7.1).
  if (claims["cnf"] !== undefined) throw new InvalidTokenError("The token is bound to a key");
  const { exp } = claims;
  return {
    principal: principalOf(claims, settings.issuer),
    scopes: toScopes(claims, settings),
    ...(typeof exp === "number" && { expiresAt: (exp + settings.leewaySeconds) * 1000 }),
  };
}

function checkAudience(audience: unknown, expected: string): void {
  const wanted = toCanonicalUri(expected);
  if ([audience].flat().some((name) => typeof name === "string" && toCanonicalUri(name) === wanted)) return;
  throw new InvalidTokenError("The token was issued for another audience");
}

/**
 * The same user is another caller through another client, but shares limits with it. JSON keeps the parts apart, whatever they
 * contain.
 */
function principalOf(claims: Claims, issuer: string): string {
  const subject = parseName(claims["sub"]);
  const client = parseName(claims["client_id"] ?? claims["azp"]);
  if (subject === null && client === null)
    throw new InvalidTokenError("The token names neither a subject nor a client");
  if (subject === null) return JSON.stringify([issuer, subject, client]);
  const person = JSON.stringify([issuer, subject]);
  return client === null ? person : toPrincipal(person, client);
}

function parseName(value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value === "string" && value !== "") return value;
  throw new InvalidTokenError("The subject or client of the token is not a non-empty string");
}

/** Most issuers write `scope`, some `scp`; as a list or separated by spaces. */
function toScopes(claims: Claims, { scopeNames }: AuthSettings): readonly Scope[] {
  const granted = claims["scope"] ?? claims["scp"];
  const names: readonly unknown[] = typeof granted === "string" ? granted.split(" ") : [granted].flat();
  const scope = (["admin", "write", "read"] as const).find((candidate) =>
    names.includes(scopeNames[candidate]),
  );
  return scope ? INCLUDED[scope] : [];
}
