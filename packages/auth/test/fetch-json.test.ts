import { afterEach, beforeEach, expect, it } from "vitest";

import { createAuthorizer } from "../src/authorizer.ts";
import { createFetchJson, type AuthFetch } from "../src/fetch-json.ts";
import type { AuthOptions } from "../src/options.ts";
import { carrying, RESOURCE, seconds, sendJson, startIssuer, type Issuer } from "./issuer.ts";

let issuer: Issuer;
beforeEach(async () => {
  issuer = await startIssuer();
});
afterEach(() => issuer.close());

type Asked = Parameters<AuthFetch>;

/** Presents a token to an authorizer with a fetch of its own, and gives what that was asked. */
async function present(token: string, options: Partial<AuthOptions> = {}): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  const own: AuthFetch = (...args) => {
    asked.push(args);
    return fetch(...args);
  };
  const authorizer = createAuthorizer({ issuer: issuer.url, resource: RESOURCE, fetch: own, ...options });
  expect(await authorizer.authorize(carrying(`Bearer ${token}`))).toHaveProperty("principal");
  return asked;
}

it("introspects with the fetch that is given", async () => {
  const endpoint = `${issuer.url}/introspect`;
  const answer = { active: true, aud: RESOURCE, sub: "alice", scope: "mcp:read", exp: seconds(300) };
  issuer.routes.set("/introspect", (_, response) => sendJson(response, answer));
  const introspection = { endpoint, clientId: "notes", clientSecret: "secret" };
  const [[url, init] = []] = await present("opaque", { introspection });
  expect([url, init?.method, init?.redirect]).toEqual([endpoint, "POST", "error"]);
  expect(init?.headers).toMatchObject({ "content-type": "application/x-www-form-urlencoded" });
});

it("bounds what any fetch brings", async () => {
  let isLeft = false;
  let isCancelled = false;
  const body = {
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) yield new Uint8Array(65_536);
      } finally {
        isLeft = true;
      }
    },
    cancel: async () => void (isCancelled = true),
  };
  const signal = AbortSignal.timeout(60_000);
  const endless = createFetchJson(async () => ({ status: 200, body }));
  await expect(endless(issuer.url, signal)).rejects.toThrow("larger than 524288 bytes");
  expect(isLeft).toBe(true);
  const refusing = createFetchJson(async () => ({ status: 500, body }));
  await expect(refusing(issuer.url, signal)).rejects.toThrow("the status was 500");
  expect(isCancelled).toBe(true);
});

it.each(["a byte at a time", "silence"])(
  "ends %s with the signal, even if the fetch does not",
  async (how) => {
    const controller = new AbortController();
    let isLeft = false;
    const body = {
      async *[Symbol.asyncIterator]() {
        try {
          yield Buffer.from(" ");
          controller.abort(new Error("too late"));
          if (how === "silence") await new Promise(() => undefined);
          for (;;) yield Buffer.from(" ");
        } finally {
          isLeft = true;
        }
      },
      cancel: async () => undefined,
    };
    const ask = createFetchJson(async () => ({ status: 200, body }));
    await expect(ask(issuer.url, controller.signal)).rejects.toThrow("too late");
    expect(isLeft).toBe(how !== "silence");
  },
);
