import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Authorizer } from "@suite/core/http";

import { createAuthorizer } from "../src/authorizer.ts";
import { carrying, RESOURCE, seconds, sendJson, startIssuer, type Issuer } from "./issuer.ts";

interface Question {
  readonly authorization: string | undefined;
  readonly form: { readonly [name: string]: string };
}

let issuer: Issuer;
let questions: Question[];
/** What the issuer says about any token. */
let answer: { readonly [claim: string]: unknown };

beforeEach(async () => {
  issuer = await startIssuer();
  questions = [];
  answer = { active: true, aud: RESOURCE, sub: "alice", scope: "mcp:write", exp: seconds(300) };
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    questions.push({ authorization: request.headers.authorization, form });
    sendJson(response, answer);
  };
  issuer.routes.set("/introspect", (request, response) => {
    reply(request, response).catch(() => response.destroy());
  });
});
afterEach(() => issuer.close());

const create = (maxAgeMs?: number): Authorizer =>
  createAuthorizer({
    issuer: issuer.url,
    resource: RESOURCE,
    introspection: {
      endpoint: `${issuer.url}/introspect`,
      clientId: "notes server",
      clientSecret: "p:ss%+w",
      ...(maxAgeMs !== undefined && { maxAgeMs }),
    },
  });

const present = (authorizer: Authorizer, token: string): Promise<object> =>
  authorizer.authorize(carrying(`Bearer ${token}`));

describe("introspection", () => {
  it("asks with credentials, and believes the answer", async () => {
    expect(await present(create(), "opaque")).toEqual({
      principal: JSON.stringify([issuer.url, "alice"]),
      scopes: ["read", "write"],
      expiresAt: expect.any(Number) as number,
    });
    const credentials = Buffer.from("notes+server:p%3Ass%25%2Bw").toString("base64");
    expect(questions).toEqual([
      { authorization: `Basic ${credentials}`, form: { token: "opaque", token_type_hint: "access_token" } },
    ]);
  });

  it.each([
    ["inactive", { active: false }, "The token is not active"],
    ["active in words only", { active: "true" }, "The token is not active"],
    [
      "for another audience",
      { aud: "https://elsewhere.example" },
      "The token was issued for another audience",
    ],
    ["for no audience", { aud: undefined }, "The token was issued for another audience"],
    ["expired", { exp: seconds(-60) }, "The token has expired"],
    ["of an expiry not understood", { exp: "later" }, "The token has expired"],
    ["not valid yet", { nbf: seconds(60) }, "The token is not valid yet"],
    ["from another issuer", { iss: "https://evil.example" }, "The token is from another issuer"],
    ["of another kind", { token_type: "DPoP" }, "The token is not a bearer token"],
    ["bound to a key", { cnf: { jkt: "x" } }, "The token is bound to a key"],
    ["nobody's", { sub: undefined }, "The token names neither a subject nor a client"],
  ])("refuses a token that is %s", async (_, claims, message) => {
    answer = { ...answer, ...claims };
    expect(await present(create(), "opaque")).toMatchObject({ status: 401, message });
  });

  it("asks once for requests with the same token, and for each other token", async () => {
    const authorizer = create();
    await Promise.all([present(authorizer, "one"), present(authorizer, "one"), present(authorizer, "two")]);
    await present(authorizer, "one");
    expect(questions).toHaveLength(2);
    expect(new Set(questions.map(({ form }) => form["token"]))).toEqual(new Set(["one", "two"]));
  });

  it("asks again after a while, and then notices that a token was revoked", async () => {
    const authorizer = create(50);
    expect(await present(authorizer, "opaque")).toHaveProperty("principal");
    answer = { active: false };
    await pause(80);
    expect(await present(authorizer, "opaque")).toMatchObject({ status: 401 });
  });

  it("lets nobody in on an answer that is older than the token", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    answer = { ...answer, exp: seconds(-27) };
    const authorizer = create();
    expect(await present(authorizer, "opaque")).toHaveProperty("principal");
    vi.advanceTimersByTime(4000);
    expect(await present(authorizer, "opaque")).toMatchObject({ message: "The token has expired" });
    expect(questions).toHaveLength(1);
  });

  it("lets nobody in when there is no answer, and asks again", async () => {
    const route = issuer.routes.get("/introspect");
    issuer.routes.set("/introspect", (_, response) => void response.writeHead(401).end("opaque"));
    const authorizer = create();
    const failure: unknown = await present(authorizer, "opaque").catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(Error);
    expect(inspect(failure, { depth: 10 })).not.toMatch(/opaque|p:ss/);
    if (route) issuer.routes.set("/introspect", route);
    expect(await present(authorizer, "opaque")).toHaveProperty("principal");
  });

  it("asks only so many questions at once", async () => {
    issuer.routes.set("/introspect", (_, response) => void setTimeout(() => sendJson(response, answer), 200));
    const authorizer = create();
    const tokens = Array.from({ length: 100 }, (_, index) => present(authorizer, `token-${index}`));
    const outcomes = await Promise.allSettled(tokens);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(64);
  });
});
