import { callHttp, type HttpCall, HttpWire } from "@suite/check/wires";
import { createAuthorizer } from "@suite/auth";
import { afterAll, expect } from "vitest";

import { type HttpVerifyContext, verify } from "../http/verify.ts";
import { startTokenIssuer } from "./token-issuer.ts";

const RESOURCE = "https://notes.example/mcp";
const METADATA_PATH = "/.well-known/oauth-protected-resource/mcp";

const issuer = await startTokenIssuer(RESOURCE);
const stranger = await startTokenIssuer(RESOURCE);
afterAll(async () => {
  await issuer.close();
  await stranger.close();
});

const PROTECTED = {
  authorizer: createAuthorizer({ issuer: issuer.url, resource: RESOURCE, leewaySeconds: 0 }),
};

type Bearing = { readonly authorization: string };
const bearing = (claims: object = {}): Bearing => ({ authorization: `Bearer ${issuer.sign(claims)}` });
const READ_ONLY = bearing({ scope: "mcp:read" });
/** Writes. */
const COUNT = { name: "count", arguments: {} };

/** A client that was let in once; what it sends afterwards brings its own token, or none. */
const enter = ({ served, revision }: HttpVerifyContext, capabilities: object = {}): Promise<HttpWire> =>
  HttpWire.open(served.url, revision, capabilities, bearing());

const listWith = async (context: HttpVerifyContext, headers: Partial<Bearing>): Promise<HttpCall> =>
  (await enter(context)).send("tools/list", {}, { headers });

/** The parameters of WWW-Authenticate. */
const challengeOf = ({ headers }: HttpCall): Record<string, string> =>
  Object.fromEntries(
    Array.from(
      (headers["www-authenticate"] ?? "").matchAll(/(\w+)="([^"]*)"/g),
      ([, name = "", value = ""]) => [name, value],
    ),
  );

async function readMetadata({ served }: HttpVerifyContext, path: string = METADATA_PATH): Promise<object> {
  const answer = await callHttp(new URL(path, served.url).href);
  await answer.ended;
  expect(answer.status).toBe(200);
  return JSON.parse(answer.text) as object;
}

verify(
  "authorization/challenge-401",
  "refuses whoever brings no token",
  async (context) => {
    const refused = await listWith(context, {});
    expect(refused.status).toBe(401);
    expect(refused.headers["www-authenticate"]).toMatch(/^Bearer /);
  },
  { serving: PROTECTED },
);

verify(
  "authorization/status-codes",
  "tells a missing token, a missing scope and a malformed header apart",
  async (context) => {
    const wire = await enter(context);
    expect((await wire.send("tools/list", {}, { headers: {} })).status).toBe(401);
    expect((await wire.send("tools/call", COUNT, { headers: READ_ONLY })).status).toBe(403);
    expect((await wire.send("tools/list", {}, { headers: { authorization: "Bearer a b" } })).status).toBe(
      400,
    );
    expect((await wire.send("tools/list", {}, { headers: bearing() })).status).toBe(200);
  },
  { serving: PROTECTED },
);

verify(
  "authorization/resource-metadata",
  "says who issues its tokens",
  async (context) => {
    const metadata = { resource: RESOURCE, authorization_servers: [issuer.url] };
    expect(await readMetadata(context)).toMatchObject(metadata);
  },
  { serving: PROTECTED },
);

verify(
  "authorization/resource-metadata-in-challenge",
  "names the address of its metadata with a 401",
  async (context) => {
    const { resource_metadata: address } = challengeOf(await listWith(context, {}));
    expect(address).toBe(new URL(METADATA_PATH, RESOURCE).href);
  },
  { serving: PROTECTED },
);

verify(
  "authorization/resource-metadata-discoverable",
  "has its metadata where the challenge says, and at the well-known address",
  async (context) => {
    const { resource_metadata: address = "" } = challengeOf(await listWith(context, {}));
    const { pathname } = new URL(address);
    expect(await readMetadata(context, pathname)).toEqual(
      await readMetadata(context, "/.well-known/oauth-protected-resource"),
    );
  },
  { serving: PROTECTED },
);

verify(
  "authorization/token-validated",
  "refuses malformed, expired and forged tokens before it does anything",
  async (context) => {
    const wire = await enter(context);
    const tokens = [
      "not.a.token",
      `${issuer.sign({}).slice(0, -8)}AAAAAAAA`,
      issuer.sign({ exp: Math.floor(Date.now() / 1000) - 60 }),
      stranger.sign({ iss: issuer.url }),
    ];
    for (const token of tokens) {
      const headers = { authorization: `Bearer ${token}` };
      const refused = await wire.sendTool("count", {}, { headers });
      expect(refused.status).toBe(401);
      expect(challengeOf(refused)["error"]).toBe("invalid_token");
    }
    expect(context.served.state.counter).toBe(0);
    expect((await wire.sendTool("count", {}, { headers: bearing() })).status).toBe(200);
    expect(context.served.state.counter).toBe(1);
  },
  { serving: PROTECTED },
);

verify(
  "authorization/token-audience",
  "refuses a token that was issued for another resource",
  async (context) => {
    const wire = await enter(context);
    const headers = bearing({ aud: "https://other.example/mcp" });
    expect((await wire.send("tools/list", {}, { headers })).status).toBe(401);
    const both = bearing({ aud: ["https://other.example/mcp", RESOURCE] });
    expect((await wire.send("tools/list", {}, { headers: both })).status).toBe(200);
  },
  { serving: PROTECTED },
);

verify(
  "authorization/token-not-passed-through",
  "keeps the token to itself, also towards its issuer",
  async (context) => {
    const headers = bearing();
    const wire = await enter(context);
    expect((await wire.sendTool("count", {}, { headers })).status).toBe(200);
    expect(issuer.requests.join("\n")).toContain("/jwks");
    expect(issuer.requests.join("\n")).not.toContain(headers.authorization.slice("Bearer ".length));
  },
  { serving: PROTECTED },
);

verify(
  "authorization/scope-in-challenge",
  "asks with a 401 for the scope to begin with",
  async (context) => {
    expect(challengeOf(await listWith(context, {}))["scope"]).toBe("mcp:read");
  },
  { serving: PROTECTED },
);

verify(
  ["authorization/insufficient-scope-403", "authorization/scopes-consistent"],
  "asks for the scope that a call needs, the same each time",
  async (context) => {
    const wire = await enter(context);
    for (let time = 0; time < 2; time += 1) {
      const refused = await wire.send("tools/call", COUNT, { headers: READ_ONLY });
      expect(refused.status).toBe(403);
      expect(challengeOf(refused)).toMatchObject({
        error: "insufficient_scope",
        scope: "mcp:write",
        resource_metadata: new URL(METADATA_PATH, RESOURCE).href,
        error_description: "This needs the scope mcp:write",
      });
    }
    expect(context.served.state.counter).toBe(0);
  },
  { serving: PROTECTED },
);

verify(
  ["authorization/all-scopes-in-one-challenge", "authorization/scope-hierarchy"],
  "lets the call in with what its challenge named and no more, and with a broader scope",
  async (context) => {
    const wire = await enter(context);
    const refused = await wire.send("tools/call", COUNT, { headers: READ_ONLY });
    for (const scope of [challengeOf(refused)["scope"], "mcp:admin"]) {
      expect((await wire.send("tools/call", COUNT, { headers: bearing({ scope }) })).status).toBe(200);
    }
  },
  { serving: PROTECTED },
);

verify(
  "authorization/no-offline-access",
  "leaves refresh tokens to client and issuer",
  async (context) => {
    const wire = await enter(context);
    const refusals = [
      await wire.send("tools/list", {}, { headers: {} }),
      await wire.send("tools/call", COUNT, { headers: READ_ONLY }),
    ];
    const challenges = refusals.map((refused) => challengeOf(refused)["scope"]);
    expect(challenges).toEqual(["mcp:read", "mcp:write"]);
    expect(await readMetadata(context)).toMatchObject({ scopes_supported: ["mcp:read"] });
  },
  { serving: PROTECTED },
);

verify(
  "authorization/uri-case-accepted",
  "takes scheme and host in capitals for the same",
  async (context) => {
    const wire = await enter(context);
    const headers = bearing({ aud: "HTTPS://NOTES.Example/mcp" });
    expect((await wire.send("tools/list", {}, { headers })).status).toBe(200);
    const elsewhere = bearing({ aud: "https://notes.example/MCP" });
    expect((await wire.send("tools/list", {}, { headers: elsewhere })).status).toBe(401);
  },
  { serving: PROTECTED },
);

verify(
  "authorization/state-bound-to-principal",
  "continues a call for nobody but whoever began it",
  async (context) => {
    const wire = await enter(context, { elicitation: { form: {} } });
    const asAdmin = (sub: string): Bearing => bearing({ sub, scope: "mcp:admin" });
    const begun = await wire.callTool("ask_twice", {}, { headers: asAdmin("alice") });
    const { requestState, inputRequests } = begun.result ?? {};
    const [key = ""] = Object.keys(inputRequests as object);
    const answer = { action: "accept", content: { word: "yes" } };
    const params = { name: "ask_twice", arguments: {}, requestState, inputResponses: { [key]: answer } };
    const stolen = await wire.request("tools/call", params, { headers: asAdmin("bob") });
    expect(stolen.error?.code).toBe(-32602);
    const own = await wire.request("tools/call", params, { headers: asAdmin("alice") });
    expect(own.result).toHaveProperty("requestState");
  },
  { serving: PROTECTED },
);
