import type { Headers, HttpExchange } from "@suite/core/http";

import type { AuthSettings } from "./options.ts";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** Where the metadata is, path inserted (RFC 9728, section 3.1). */
export function metadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return origin + WELL_KNOWN + (pathname === "/" ? "" : pathname);
}

/** Serves Protected Resource Metadata (RFC 9728) at the root and at the path of the resource. */
export function createMetadataRoute(
  settings: AuthSettings,
): (exchange: HttpExchange, headers: Headers) => boolean {
  const paths = new Set([WELL_KNOWN, new URL(metadataUrl(settings.resource)).pathname]);
  const body = JSON.stringify({
    resource: settings.resource,
    authorization_servers: [settings.issuer],
    // The scope for basic use, not all scopes (authorization#scope-selection-strategy).
    scopes_supported: [settings.scopeNames.read],
    bearer_methods_supported: ["header"],
  });
  return (exchange, headers) => {
    if (!paths.has(exchange.path)) return false;
    if (exchange.method === "GET" || exchange.method === "HEAD") {
      const type = { "content-type": "application/json", "cache-control": "max-age=300" };
      exchange.reply(200, { ...headers, ...type }, body);
    } else exchange.reply(405, { ...headers, allow: "GET, HEAD" });
    return true;
  };
}
