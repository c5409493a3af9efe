import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  exportJWK,
  generateKeyPair,
  importJWK,
  SignJWT,
  type CryptoKey,
  type JWK,
  type JWTPayload,
} from "jose";

export interface SigningKey {
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

type Route = (request: IncomingMessage, response: ServerResponse) => void;

export const RESOURCE = "http://127.0.0.1:4000/mcp";

/** An authorization server as far as a resource server sees one: metadata, keys, tokens. */
export interface Issuer {
  readonly url: string;
  /** The paths that were asked for. */
  readonly asked: string[];
  /** By path; a test may replace or add any. */
  readonly routes: Map<string, Route>;
  readonly keys: SigningKey[];
  sign(claims?: JWTPayload, header?: { key?: SigningKey; kid?: string; typ?: string }): Promise<string>;
  close(): Promise<void>;
}

export async function createKey(alg: string, kid: string): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

/** The same key for another algorithm: one of RSA takes seconds to make on a busy machine. */
export async function convertKey({ privateKey, jwk }: SigningKey, alg: string): Promise<SigningKey> {
  const converted = await importJWK(await exportJWK(privateKey), alg);
  return { alg, privateKey: converted as CryptoKey, jwk: { ...jwk, alg, kid: `${jwk.kid} ${alg}` } };
}

export const sendJson = (response: ServerResponse, value: unknown): void => {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(value));
};

export async function startIssuer(path = ""): Promise<Issuer> {
  const asked: string[] = [];
  const routes = new Map<string, Route>();
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const route = routes.get(request.url ?? "");
    if (route) route(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = origin + path;
  const keys = [await createKey("ES256", "first")];
  routes.set(`/.well-known/oauth-authorization-server${path}`, (_, response) =>
    sendJson(response, { issuer: url, jwks_uri: `${origin}/jwks` }),
  );
  routes.set("/jwks", (_, response) => sendJson(response, { keys: keys.map(({ jwk }) => jwk) }));
  return {
    url,
    asked,
    routes,
    keys,
    sign: (claims = {}, { key = keys[0], kid = key?.jwk.kid, typ = "at+jwt" } = {}) => {
      if (!key) throw new Error("The issuer has no key");
      const payload = {
        iss: url,
        aud: RESOURCE,
        sub: "alice",
        client_id: "editor",
        scope: "mcp:read",
        iat: seconds(0),
        exp: seconds(300),
        ...claims,
      };
      const header = { alg: key.alg, typ, ...(kid !== undefined && { kid }) };
      return new SignJWT(payload).setProtectedHeader(header).sign(key.privateKey);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** From now, as tokens count time. */
export const seconds = (offset: number): number => Math.floor(Date.now() / 1000) + offset;

/** All that an authorizer sees of a request. */
export const carrying = (authorization?: string): { header(name: string): string | undefined } => ({
  header: (name) => (name === "authorization" ? authorization : undefined),
});
