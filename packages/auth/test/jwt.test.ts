import { toPrincipal } from "@suite/core/http";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SignJWT, UnsecuredJWT, type JWTPayload } from "jose";

import { createAuthorizer } from "../src/authorizer.ts";
import {
  carrying,
  convertKey,
  createKey,
  RESOURCE,
  seconds,
  startIssuer,
  type Issuer,
  type SigningKey,
} from "./issuer.ts";

let issuer: Issuer;
let rsa: SigningKey;

beforeAll(async () => void (rsa = await createKey("RS256", "rsa")));

beforeEach(async () => void (issuer = await startIssuer()));
afterEach(() => issuer.close());

const authorize = (token: string): Promise<object> =>
  createAuthorizer({ issuer: issuer.url, resource: RESOURCE }).authorize(carrying(`Bearer ${token}`));

const refused = (reason: string): object => {
  const challenge = `Bearer error="invalid_token", error_description="${reason}"`;
  const where = 'resource_metadata="http://127.0.0.1:4000/.well-known/oauth-protected-resource/mcp"';
  return {
    status: 401,
    message: reason,
    headers: { "www-authenticate": `${challenge}, scope="mcp:read", ${where}` },
  };
};

describe("a genuine token", () => {
  it.each(["RS256", "PS256", "ES256", "EdDSA"])("signed with %s lets its subject in", async (alg) => {
    const isRsa = alg === "RS256" || alg === "PS256";
    const key = isRsa ? await convertKey(rsa, alg) : await createKey(alg, `of ${alg}`);
    issuer.keys.push(key);
    const exp = seconds(100);
    expect(await authorize(await issuer.sign({ exp }, { key }))).toEqual({
      principal: toPrincipal(JSON.stringify([issuer.url, "alice"]), "editor"),
      scopes: ["read"],
      expiresAt: (exp + 30) * 1000,
    });
  });

  it.each(["at+jwt", "application/at+jwt", "AT+JWT", "JWT"])("may be of type %s", async (typ) => {
    expect(await authorize(await issuer.sign({}, { typ }))).toHaveProperty("principal");
  });

  it("may be for several audiences, one of them in capitals", async () => {
    const aud = ["https://elsewhere.example", RESOURCE.replace("http://", "HTTP://")];
    expect(await authorize(await issuer.sign({ aud }))).toHaveProperty("principal");
  });

  it("is let in while clocks disagree a little", async () => {
    expect(await authorize(await issuer.sign({ exp: seconds(-5) }))).toHaveProperty("principal");
    expect(await authorize(await issuer.sign({ nbf: seconds(5) }))).toHaveProperty("principal");
  });
});

describe("claims that are wrong", () => {
  const AUDIENCE = "The token was issued for another audience";
  const CLAIM = "The token lacks a claim, or has an invalid one";
  const NAME = "The subject or client of the token is not a non-empty string";

  it.each([
    ["another audience", { aud: "http://127.0.0.1:4000/other" }, AUDIENCE],
    ["the origin for an audience", { aud: "http://127.0.0.1:4000" }, AUDIENCE],
    ["a longer audience", { aud: `${RESOURCE}/more` }, AUDIENCE],
    ["a path in capitals", { aud: "http://127.0.0.1:4000/MCP" }, AUDIENCE],
    ["an audience that is no text", { aud: [[RESOURCE]] as never }, AUDIENCE],
    ["another issuer", { iss: "https://evil.example" }, "The token is from another issuer"],
    ["expired", { exp: seconds(-60) }, "The token has expired"],
    ["not valid yet", { nbf: seconds(60) }, "The token is not valid yet"],
    ["no expiry", { exp: undefined }, CLAIM],
    ["an expiry that is text", { exp: "9999999999" as never }, CLAIM],
    ["no audience", { aud: undefined }, CLAIM],
    ["no subject", { sub: undefined }, CLAIM],
    ["a subject that is no text", { sub: 7 as never }, NAME],
    ["an empty subject", { sub: "" }, NAME],
    ["a key it is bound to", { cnf: { jkt: "x" } }, "The token is bound to a key"],
  ])("%s", async (_, claims, reason) => {
    const token = await issuer.sign(claims as JWTPayload);
    expect(await authorize(token)).toEqual(refused(reason));
  });

  it("an issuer that differs by a slash", async () => {
    const token = await issuer.sign({ iss: `${issuer.url}/` });
    expect(await authorize(token)).toEqual(refused("The token is from another issuer"));
  });

  it.each(["logout+jwt", "dpop+jwt", "secevent+jwt"])("the type %s", async (typ) => {
    const token = await issuer.sign({}, { typ });
    expect(await authorize(token)).toEqual(refused("The token is not an access token"));
  });
});

describe("signatures that are wrong", () => {
  const claims = (): Record<string, unknown> => ({
    iss: issuer.url,
    aud: RESOURCE,
    sub: "alice",
    scope: "mcp:admin",
    exp: seconds(300),
  });

  it("HS256 with the public key for a secret", async () => {
    issuer.keys.push(rsa);
    for (const secret of [JSON.stringify(rsa.jwk), String(rsa.jwk.n)]) {
      const forged = new SignJWT(claims()).setProtectedHeader({ alg: "HS256", typ: "at+jwt", kid: "rsa" });
      const token = await forged.sign(new TextEncoder().encode(secret));
      expect(await authorize(token)).toEqual(refused("The token's algorithm is not accepted"));
    }
    expect(issuer.asked).toEqual([]);
  });

  it("HS256 with a secret that the issuer publishes", async () => {
    const secret = new TextEncoder().encode("0123456789abcdef0123456789abcdef");
    const k = Buffer.from(secret).toString("base64url");
    issuer.keys.push({
      ...(await createKey("ES256", "x")),
      jwk: { kty: "oct", k, alg: "HS256", kid: "secret" },
    });
    const token = await new SignJWT(claims())
      .setProtectedHeader({ alg: "HS256", kid: "secret" })
      .sign(secret);
    expect(await authorize(token)).toEqual(refused("The token's algorithm is not accepted"));
  });

  it("none at all", async () => {
    const token = new UnsecuredJWT(claims()).encode();
    expect(await authorize(token)).toEqual(refused("The token's algorithm is not accepted"));
    const [header, payload] = token.split(".");
    for (const alg of ["NONE", "nOnE", ""]) {
      const disguised = Buffer.from(JSON.stringify({ alg })).toString("base64url");
      expect(await authorize(`${disguised}.${payload}.`)).toHaveProperty("status", 401);
    }
    expect(await authorize(`${header}.${payload}`)).toEqual(refused("The token cannot be verified"));
  });

  it("another key under a known name", async () => {
    const token = await issuer.sign({}, { key: await createKey("ES256", "first") });
    expect(await authorize(token)).toEqual(refused("The token's signature is wrong"));
  });

  it("another algorithm under a known name", async () => {
    const token = await issuer.sign({}, { key: await createKey("EdDSA", "first") });
    expect(await authorize(token)).toEqual(refused("The token is signed with an unknown key"));
  });

  it("a payload changed afterwards", async () => {
    const [header, , signature] = (await issuer.sign()).split(".");
    const payload = Buffer.from(JSON.stringify(claims())).toString("base64url");
    expect(await authorize(`${header}.${payload}.${signature}`)).toEqual(
      refused("The token's signature is wrong"),
    );
  });

  it("a key that came with the token", async () => {
    const key = await createKey("ES256", "mine");
    const header = { alg: "ES256", jwk: key.jwk, jku: `${issuer.url}/mine`, kid: "mine" };
    const token = await new SignJWT(claims()).setProtectedHeader(header).sign(key.privateKey);
    expect(await authorize(token)).toEqual(refused("The token is signed with an unknown key"));
    expect(issuer.asked).not.toContain("/mine");
  });

  it("an algorithm the operator has not listed", async () => {
    const options = { issuer: issuer.url, resource: RESOURCE, algorithms: ["EdDSA"] } as const;
    const token = await issuer.sign();
    expect(await createAuthorizer(options).authorize(carrying(`Bearer ${token}`))).toEqual(
      refused("The token's algorithm is not accepted"),
    );
  });
});
