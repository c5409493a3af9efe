import type { Octokit } from "@octokit/rest";

import { Attempts, type SendOptions } from "./attempts.ts";
import type { OctokitAnswer, OctokitFetch } from "./octokit-fetch.ts";

export interface OctokitClient {
  request(
    route: string,
    params: Record<string, unknown> & { readonly request: SendOptions },
  ): Promise<OctokitAnswer>;
  describe(route: string, params: Record<string, unknown>): { method: string; url: string; body?: unknown };
}

/** Loaded with the first request, because it would dominate the startup time. */
export async function createOctokit(
  baseUrl: string,
  send: OctokitFetch,
  userAgent?: string,
): Promise<Octokit> {
  const { Octokit: Client } = await import("@octokit/rest");
  const silent = (): void => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  // Its errors have what it would log. Deprecations go only to the log of the request.
  return new Client({
    baseUrl,
    ...(userAgent !== undefined && { userAgent }),
    log,
    request: { fetch: send, log },
  });
}

export async function createClient(
  baseUrl: string,
  userAgent: string,
  send: OctokitFetch,
): Promise<OctokitClient> {
  const octokit = await createOctokit(baseUrl, send, userAgent);
  // Octokit's plugins for limits and retries would add 13 ms to every request.
  const attempts = new Attempts();
  return {
    request: (route, params) =>
      attempts.run(
        route,
        params.request,
        () => octokit.request(withQuery(route, params), params) as Promise<OctokitAnswer>,
      ),
    describe: (route, params) => octokit.request.endpoint(withQuery(route, params), params),
  };
}

/** Outside the route, Octokit would send each + in a search as a space. */
const withQuery = (route: string, params: Record<string, unknown>): string =>
  "q" in params ? `${route}{?q}` : route;
