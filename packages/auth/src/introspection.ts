import { createHash } from "node:crypto";

import type { Claims } from "./claims.ts";
import { InvalidTokenError, UnavailableError } from "./error.ts";
import type { AuthSettings, IntrospectionOptions } from "./options.ts";

/** Introspections at once; more are refused, because every made-up token costs the authorization server one. */
const MOST_QUESTIONS = 64;

const MOST_ANSWERS = 1000;

/** Asks the authorization server about tokens (RFC 7662). Tokens are sent nowhere else. */
export function createIntrospector(
  settings: AuthSettings,
  options: Required<IntrospectionOptions>,
): (token: string) => Promise<Claims> {
  const credentials = toCredentials(options.clientId, options.clientSecret);
  let asking = 0;
  const ask = async (token: string): Promise<Claims> => {
    if (asking >= MOST_QUESTIONS) throw new UnavailableError("Too many tokens are being introspected");
    asking += 1;
    try {
      return await settings.fetchJson(options.endpoint, AbortSignal.timeout(settings.timeoutMs), {
        method: "POST",
        headers: {
          accept: "application/json",
          "content-type": "application/x-www-form-urlencoded",
          authorization: credentials,
        },
        body: new URLSearchParams({ token, token_type_hint: "access_token" }).toString(),
      });
    } finally {
      asking -= 1;
    }
  };
  const askOnce = withCache(ask, options.maxAgeMs);
  return async (token) => {
    const claims = await askOnce(token);
    // Checked each time: a token may expire while its answer is cached.
    checkAnswer(claims, settings);
    return claims;
  };
}

function checkAnswer(claims: Claims, { issuer, leewaySeconds }: AuthSettings): void {
  const {
    active,
    iss = issuer,
    exp = Number.POSITIVE_INFINITY,
    nbf = 0,
    token_type: type = "Bearer",
  } = claims;
  const now = Date.now() / 1000;
  if (active !== true) throw new InvalidTokenError("The token is not active");
  if (iss !== issuer) throw new InvalidTokenError("The token is from another issuer");
  if (!(typeof exp === "number" && exp + leewaySeconds > now))
    throw new InvalidTokenError("The token has expired");
  if (!(typeof nbf === "number" && nbf - leewaySeconds <= now)) {
    throw new InvalidTokenError("The token is not valid yet");
  }
  if (!(typeof type === "string" && type.toLowerCase() === "bearer")) {
    throw new InvalidTokenError("The token is not a bearer token");
  }
}

/** Both parts are form-encoded before they are joined (RFC 6749, section 2.3.1). */
function toCredentials(clientId: string, clientSecret: string): string {
  const [id, secret] = [clientId, clientSecret].map((part) =>
    new URLSearchParams({ "": part }).toString().slice(1),
  );
  return `Basic ${btoa(`${id}:${secret}`)}`;
}

interface CachedClaims {
  readonly value: Promise<Claims>;
  readonly until: number;
}

/**
 * Caches answers about tokens for a short while. Tokens themselves are not kept, only their digests. Concurrent requests with
 * the same token share one answer. Failures are not cached.
 */
function withCache(
  ask: (token: string) => Promise<Claims>,
  maxAgeMs: number,
): (token: string) => Promise<Claims> {
  const answers = new Map<string, CachedClaims>();
  return (token) => {
    const key = createHash("sha256").update(token).digest("base64");
    const known = answers.get(key);
    if (known && Date.now() < known.until) return known.value;
    const answer = { value: ask(token), until: Date.now() + maxAgeMs };
    answers.delete(key);
    answers.set(key, answer);
    answer.value.catch(() => {
      if (answers.get(key) === answer) answers.delete(key);
    });
    for (const oldest of answers.keys()) {
      if (answers.size <= MOST_ANSWERS) break;
      answers.delete(oldest);
    }
    return answer.value;
  };
}
