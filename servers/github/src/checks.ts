import type { Finding } from "@suite/server-kit";
import { Fault } from "@suite/server-kit/domain";

import { Credentials } from "./domain/gateway/credentials.ts";
import { parseEndpoints } from "./endpoints.ts";
import { UNLIMITED } from "./domain/gateway/limits.ts";
import type { OctokitFetch, SendRequest } from "./domain/gateway/octokit-fetch.ts";
import { createSend, type ProxyEnvironment } from "./domain/gateway/send.ts";
import { type GithubOptions, toCredentials } from "./setup.ts";

/** Whether GitHub answers and accepts the token. */
export async function checkGithub(
  given: GithubOptions,
  environment: ProxyEnvironment,
  signal: AbortSignal,
): Promise<Finding> {
  const endpoints = parseEndpoints(given.host, given.apiUrl);
  const { rest } = endpoints;
  const { send, close } = createSend(endpoints, environment);
  const needed = "GitHub's API, and a token that it takes";
  const credentials = new Credentials(toCredentials(given));
  try {
    const token = await credentials.tokenFor(undefined, rest, toFetch(send), signal);
    const headers = {
      accept: "application/vnd.github+json",
      "user-agent": "suite-server-github",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const answer = await send(`${rest}/rate_limit`, { headers, signal });
    const { status } = answer;
    const isUnlimited = status === 404 && UNLIMITED.test(Buffer.from(await answer.bytes()).toString());
    const quota = isUnlimited
      ? "no limit"
      : `${answer.headers.get("x-ratelimit-limit") ?? "?"} requests an hour`;
    const found = `${rest}, ${credentials.kind} token, ${quota}`;
    if (status === 200 || isUnlimited) {
      return credentials.isAnonymous
        ? {
            status: "ok",
            needed,
            found: `${rest}, no token`,
            hint: "Set GITHUB_TOKEN for private data, writing and a larger quota.",
          }
        : { status: "ok", needed, found };
    }
    const hint =
      status === 401 ? "The token is not valid: set a new GITHUB_TOKEN." : "Check --host and --api-url.";
    return { status: "missing", needed, found: `${rest} answered ${status}`, hint };
  } catch (thrown) {
    const words = thrown instanceof Error ? thrown.message : String(thrown);
    return {
      status: "missing",
      needed,
      found: credentials.hide(`${rest}: ${words}`),
      hint: (thrown instanceof Fault && thrown.hint) || "Check the network, --host and --api-url.",
    };
  } finally {
    await close();
  }
}

/** An App gets its token with a request of its own. */
const toFetch =
  (send: SendRequest): OctokitFetch =>
  async (url, init) => {
    const { status, headers, bytes } = await send(url, init);
    return new Response(Buffer.from(await bytes()), { status, headers: [...headers] });
  };
