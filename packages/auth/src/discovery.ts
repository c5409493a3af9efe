import { isSecure } from "./addresses.ts";
import { UnavailableError } from "./error.ts";
import type { FetchJson } from "./fetch-json.ts";

/** Where an issuer's metadata may be, in the order in which to try (authorization-server-discovery). */
export function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/+$/, "");
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === "" ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ];
}

/** Finds the address of the issuer's keys. */
export async function discoverKeys(
  issuer: string,
  signal: AbortSignal,
  fetchJson: FetchJson,
): Promise<string> {
  const problems: unknown[] = [];
  for (const url of metadataUrls(issuer)) {
    try {
      const metadata = await fetchJson(url, signal);
      return keysOf(metadata, issuer, url);
    } catch (thrown) {
      problems.push(thrown);
    }
  }
  const reasons = problems.map((problem) => (problem as Error).message).join("; ");
  throw new UnavailableError(`The issuer ${issuer} cannot be discovered: ${reasons}`);
}

function keysOf(metadata: { readonly [name: string]: unknown }, issuer: string, url: string): string {
  // Metadata of another issuer could make that issuer's tokens valid here (RFC 8414, section 3.3).
  if (metadata["issuer"] !== issuer) throw new Error(`${url} describes another issuer`);
  const address = String(metadata["jwks_uri"]);
  if (!URL.canParse(address) || !isSecure(new URL(address))) throw new Error(`${url} has no usable jwks_uri`);
  return address;
}
