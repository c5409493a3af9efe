import { createPublicKey, sign, type KeyObject } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { createSigningKey } from "./signing-key.ts";

export interface TokenIssuer {
  readonly url: string;
  /** What it was asked: method, path and headers. */
  readonly requests: readonly string[];
  /** A token with these claims over the usual ones, signed with the key of this number; its name goes with it if asked. */
  sign(claims: object, options?: { readonly key?: number; readonly isNamed?: boolean }): string;
  close(): Promise<void>;
}

/** What a program needs of an authorization server, and tokens of any content without a person to ask for them. */
export async function startTokenIssuer(audience: string, keyCount = 1): Promise<TokenIssuer> {
  const privateKeys = Array.from({ length: keyCount }, createSigningKey);
  const keys = privateKeys.map((privateKey, index) => ({
    ...createPublicKey(privateKey).export({ format: "jwk" }),
    kid: `key ${index}`,
    use: "sig",
  }));
  const requests: string[] = [];
  const http = createServer((request, response) => {
    requests.push([request.method, request.url, ...request.rawHeaders].join(" "));
    const body = request.url === "/jwks" ? { keys } : { issuer: url, jwks_uri: `${url}/jwks` };
    response.setHeader("content-type", "application/json").end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    sign(claims, { key = 0, isNamed = true } = {}) {
      const now = Math.floor(Date.now() / 1000);
      const usual = {
        iss: url,
        aud: audience,
        sub: "alice",
        scope: "mcp:read mcp:write",
        iat: now,
        exp: now + 300,
      };
      const header = { alg: "ES256", typ: "at+jwt", ...(isNamed && { kid: `key ${key}` }) };
      return toToken(header, { ...usual, ...claims }, privateKeys[key]);
    },
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}

function toToken(header: object, payload: object, key: KeyObject | undefined): string {
  if (!key) throw new Error("There is no such key");
  const parts = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  const signature = sign("sha256", Buffer.from(parts.join(".")), { key, dsaEncoding: "ieee-p1363" });
  return [...parts, signature.toString("base64url")].join(".");
}
