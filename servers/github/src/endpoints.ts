import { isLoopback } from "@suite/server-kit/program";

import type { Endpoints } from "./domain/gateway/endpoints.ts";

const EXPECTED = "an https host or URL (http for this machine alone)";

/** Throws a RangeError for an invalid host or URL. Plain http, which exposes tokens, is allowed for this machine only. */
export function parseEndpoints(host: string, apiUrl?: string): Endpoints {
  if (apiUrl !== undefined) return fromUrl(parseUrl(apiUrl));
  const url = parseUrl(/^https?:\/\//.test(host) ? host : `https://${host}`);
  if (/^(www\.|api\.)?github\.com$/.test(url.hostname)) return fromUrl(new URL("https://api.github.com"));
  if (url.hostname.endsWith(".ghe.com")) {
    return fromUrl(new URL(`https://api.${url.hostname.replace(/^api\./, "")}`));
  }
  return fromUrl(url.pathname === "/" ? new URL("/api/v3", url) : url);
}

/** What was expected, if host or URL are invalid. */
export function checkEndpoints(host: string, apiUrl?: string): string | undefined {
  try {
    parseEndpoints(host, apiUrl);
    return undefined;
  } catch {
    return EXPECTED;
  }
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isClean = url && url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (url && isClean && isSafe) return url;
  throw new RangeError(`expected ${EXPECTED}`);
}

function fromUrl(url: URL): Endpoints {
  const rest = url.origin + url.pathname.replace(/\/+$/, "");
  // On an Enterprise Server they are /api/v3 and /api/graphql.
  const graphql = rest.endsWith("/api/v3") ? rest.replace(/v3$/, "graphql") : `${rest}/graphql`;
  return { rest, graphql };
}
