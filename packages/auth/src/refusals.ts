import type { Refusal, Scope } from "@suite/core/http";

import type { AuthSettings } from "./options.ts";
import { metadataUrl } from "./resource-metadata.ts";

/** How requests are refused: always with the address of the metadata, and with the scope that is needed. */
export interface Refusals {
  readonly unauthenticated: Refusal;
  readonly malformed: Refusal;
  invalidToken(reason: string): Refusal;
  insufficientScope(needed: Scope): Refusal;
}

export function createRefusals({ resource, scopeNames }: AuthSettings): Refusals {
  const where = { resource_metadata: metadataUrl(resource) };
  // At first only the lowest scope is requested; more when it is needed (authorization#scope-selection-strategy).
  const least = { scope: scopeNames.read, ...where };
  return {
    // A request without credentials is told nothing about errors (RFC 6750, section 3.1).
    unauthenticated: toRefusal(401, least, "A bearer token is required"),
    malformed: toRefusal(
      400,
      { error: "invalid_request", ...least },
      "Authorization must be: Bearer <access token>",
    ),
    invalidToken: (reason) =>
      toRefusal(401, { error: "invalid_token", error_description: reason, ...least }, reason),
    insufficientScope: (needed) => {
      const message = `This needs the scope ${scopeNames[needed]}`;
      const scope = scopeNames[needed];
      return toRefusal(
        403,
        { error: "insufficient_scope", scope, ...where, error_description: message },
        message,
      );
    },
  };
}

/** Every value is our own text, a checked scope name or a serialised URL: none has quotes to escape. */
function toRefusal(
  status: Refusal["status"],
  params: { readonly [name: string]: string },
  message: string,
): Refusal {
  const list = Object.entries(params).map(([name, value]) => `${name}="${value}"`);
  return { status, headers: { "www-authenticate": `Bearer ${list.join(", ")}` }, message };
}
