import { decodeProtectedHeader, errors, jwtVerify, type JWTVerifyOptions, type JWTVerifyResult } from "jose";

import type { Claims } from "./claims.ts";
import { InvalidTokenError, UnavailableError } from "./error.ts";
import { KeySource } from "./key-source.ts";
import type { AuthSettings } from "./options.ts";

/** Access tokens have the type at+jwt (RFC 9068) or no special one; JWTs for other purposes have others. */
const TYPES: ReadonlySet<unknown> = new Set([undefined, "at+jwt", "jwt"]);

const REASONS: { readonly [code: string]: string } = {
  [errors.JWTExpired.code]: "The token has expired",
  [errors.JOSEAlgNotAllowed.code]: "The token's algorithm is not accepted",
  [errors.JWKSNoMatchingKey.code]: "The token is signed with an unknown key",
  [errors.JWSSignatureVerificationFailed.code]: "The token's signature is wrong",
};

/** For claims that are present but wrong. */
const CLAIM_REASONS: { readonly [claim: string]: string } = {
  iss: "The token is from another issuer",
  nbf: "The token is not valid yet",
};

/** Keys tried for a token that names none: anybody can make up such tokens. */
const MOST_CANDIDATES = 16;

/** Reads access tokens that are JWTs, and accepts those that the issuer signed. */
export function createJwtReader(settings: AuthSettings): (token: string) => Promise<Claims> {
  const keys = new KeySource(settings);
  const checks = {
    algorithms: [...settings.algorithms],
    issuer: settings.issuer,
    clockTolerance: settings.leewaySeconds,
    requiredClaims: ["iss", "aud", "exp", "sub"],
  };
  return async (token) => {
    const { payload, protectedHeader } = await verify(token, keys, checks).catch((thrown: unknown) => {
      // Errors of jose contain the payload, so they are not passed on.
      throw thrown instanceof UnavailableError ? thrown : new InvalidTokenError(reasonOf(thrown));
    });
    const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, "");
    if (!TYPES.has(type)) throw new InvalidTokenError("The token is not an access token");
    return payload;
  };
}

async function verify(
  token: string,
  keys: KeySource,
  checks: JWTVerifyOptions,
): Promise<Pick<JWTVerifyResult, "payload" | "protectedHeader">> {
  try {
    return await verifyWithKnown(token, keys, checks);
  } catch (thrown) {
    const isSignature = thrown instanceof errors.JWSSignatureVerificationFailed;
    if (!isSignature || decodeProtectedHeader(token).kid !== undefined || !(await keys.renew())) throw thrown;
    return verifyWithKnown(token, keys, checks);
  }
}

async function verifyWithKnown(
  token: string,
  { find }: KeySource,
  checks: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, find, checks);
  } catch (thrown) {
    if (!(thrown instanceof errors.JWKSMultipleMatchingKeys)) throw thrown;
    return verifyWithAny(token, thrown, checks);
  }
}

/** A token need not name its key (RFC 7515, section 4.1.4): then every key that fits is tried. */
async function verifyWithAny(
  token: string,
  candidates: errors.JWKSMultipleMatchingKeys,
  checks: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  let tried = 0;
  for await (const key of candidates) {
    try {
      return await jwtVerify(token, key, checks);
    } catch (thrown) {
      tried += 1;
      if (!(thrown instanceof errors.JWSSignatureVerificationFailed) || tried === MOST_CANDIDATES)
        throw thrown;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof errors.JOSEError)) return "The token cannot be verified";
  if (thrown instanceof errors.JWTClaimValidationFailed) {
    const reason = thrown.reason === "missing" ? undefined : CLAIM_REASONS[thrown.claim];
    return reason ?? "The token lacks a claim, or has an invalid one";
  }
  return REASONS[thrown.code] ?? "The token cannot be verified";
}
