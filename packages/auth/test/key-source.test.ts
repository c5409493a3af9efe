import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Authorizer } from "@suite/core/http";

import { createAuthorizer } from "../src/authorizer.ts";
import type { AuthOptions } from "../src/options.ts";
import { carrying, createKey, RESOURCE, sendJson, startIssuer, type Issuer } from "./issuer.ts";

let issuer: Issuer;
let problems: Error[];

beforeEach(async () => {
  issuer = await startIssuer();
  problems = [];
});
afterEach(() => issuer.close());

const create = (options: Partial<AuthOptions> = {}): Authorizer =>
  createAuthorizer({
    issuer: issuer.url,
    resource: RESOURCE,
    onUnavailable: (error) => void problems.push(error),
    ...options,
  });

const present = (authorizer: Authorizer, token: string): Promise<object> =>
  authorizer.authorize(carrying(`Bearer ${token}`));

const keyFetches = (): number => issuer.asked.filter((path) => path === "/jwks").length;

describe("the issuer's keys", () => {
  it("are fetched once for many requests", async () => {
    const authorizer = create();
    const token = await issuer.sign();
    const callers = await Promise.all(Array.from({ length: 20 }, () => present(authorizer, token)));
    expect(callers.filter((caller) => "principal" in caller)).toHaveLength(20);
    expect(await present(authorizer, token)).toHaveProperty("principal");
    expect(issuer.asked).toEqual(["/.well-known/oauth-authorization-server", "/jwks"]);
  });

  it("are fetched again for one that is new", async () => {
    const authorizer = create({ keysCooldownMs: 0 });
    await present(authorizer, await issuer.sign());
    const key = await createKey("ES256", "second");
    issuer.keys.unshift(key);
    expect(await present(authorizer, await issuer.sign({}, { key }))).toHaveProperty("principal");
    expect(keyFetches()).toBe(2);
  });

  it("are fetched again for a token that names none and fits none, not too often", async () => {
    const authorizer = create({ keysCooldownMs: 0 });
    await present(authorizer, await issuer.sign());
    const key = await createKey("ES256", "second");
    issuer.keys.splice(0, 1, key);
    const nameless = await issuer.sign({}, { key: { ...key, jwk: {} } });
    expect(await present(authorizer, nameless)).toHaveProperty("principal");
    expect(keyFetches()).toBe(2);
    const patient = create();
    issuer.keys.splice(0, 1, await createKey("ES256", "third"));
    for (let count = 0; count < 2; count += 1)
      expect(await present(patient, nameless)).toMatchObject({ status: 401 });
    expect(keyFetches()).toBe(3);
  });

  it("stop counting once the issuer has withdrawn them", async () => {
    const authorizer = create({ keysMaxAgeMs: 0 });
    const token = await issuer.sign();
    expect(await present(authorizer, token)).toHaveProperty("principal");
    issuer.keys.splice(0, 1, await createKey("ES256", "second"));
    expect(await present(authorizer, token)).toMatchObject({
      status: 401,
      message: "The token is signed with an unknown key",
    });
  });

  it("are not fetched again and again for names that are made up", async () => {
    const authorizer = create();
    const tokens = Array.from({ length: 20 }, (_, index) => issuer.sign({}, { kid: `made up ${index}` }));
    for (const token of tokens) {
      expect(await present(authorizer, await token)).toMatchObject({ status: 401 });
    }
    expect(keyFetches()).toBe(1);
  });

  it("survive a failed attempt to find a new one", async () => {
    const authorizer = create({ keysCooldownMs: 0 });
    const token = await issuer.sign();
    await present(authorizer, token);
    issuer.routes.delete("/jwks");
    await expect(present(authorizer, await issuer.sign({}, { kid: "unknown" }))).rejects.toThrow("404");
    expect(await present(authorizer, token)).toHaveProperty("principal");
  });
});

describe("an issuer that cannot be asked", () => {
  const failure = async (options: Partial<AuthOptions> = {}): Promise<string> => {
    const token = await issuer.sign();
    const outcome = present(create(options), token);
    const problem: unknown = await outcome.catch((thrown: unknown) => thrown);
    if (!(problem instanceof Error)) throw new Error("It was let in");
    expect(problems).toEqual([problem]);
    expect(inspect(problem, { depth: 10 })).not.toContain(token);
    return problem.message;
  };

  it("lets nobody in when it never answers", async () => {
    issuer.routes.set("/jwks", () => undefined);
    expect(await failure({ timeoutMs: 300 })).toContain("timeout");
  });

  it("lets nobody in when it answers a byte at a time", async () => {
    issuer.routes.set("/jwks", (_, response) => {
      const timer = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(timer));
    });
    expect(await failure({ timeoutMs: 300 })).toContain("timeout");
  });

  it("lets nobody in when its keys are endless", async () => {
    let sent = 0;
    issuer.routes.set("/jwks", (_, response) => {
      const block = " ".repeat(65_536);
      const write = (): void => {
        while (!response.destroyed && (sent += block.length) && response.write(block));
      };
      response.on("drain", write);
      write();
    });
    expect(await failure({ timeoutMs: 60_000 })).toContain("larger than 524288 bytes");
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  it.each([
    ["no JSON", "<html>"],
    ["no object", "[]"],
    ["no keys", "{}"],
    ["keys that are none", '{"keys":[1,"x"]}'],
  ])("lets nobody in when its keys are %s", async (_, body) => {
    issuer.routes.set("/jwks", (_request, response) => void response.end(body));
    expect(await failure()).toMatch(/the answer is not|not a JSON Web Key Set/);
  });

  it("is not followed elsewhere", async () => {
    issuer.routes.set("/jwks", (_, response) => void response.writeHead(302, { location: "/moved" }).end());
    issuer.routes.set("/moved", (_, response) =>
      sendJson(response, { keys: issuer.keys.map(({ jwk }) => jwk) }),
    );
    await failure();
    expect(issuer.asked).not.toContain("/moved");
  });

  it("is left alone for a moment, and then asked anew", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const keys = issuer.routes.get("/jwks");
    issuer.routes.delete("/jwks");
    const authorizer = create();
    const token = await issuer.sign();
    await expect(present(authorizer, token)).rejects.toThrow("404");
    const asked = issuer.asked.length;
    await expect(present(authorizer, token)).rejects.toThrow("a moment ago");
    expect(issuer.asked).toHaveLength(asked);
    if (keys) issuer.routes.set("/jwks", keys);
    vi.advanceTimersByTime(1100);
    expect(await present(authorizer, token)).toHaveProperty("principal");
  });
});
