import {
  AuthorizationError,
  createClientAuthorization,
  type ClientAuthorizationOptions,
} from "@suite/auth/client";
import { connectHttp, type Client } from "@suite/core/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  ISSUER,
  ISSUER_DOCUMENT,
  ISSUER_METADATA,
  METADATA,
  REDIRECT_URL,
  refuse,
  reply,
  type Script,
  SECRETS,
  SERVER,
  startScript,
  TOKEN,
} from "./scripted-issuer.ts";

let script: Script;
beforeEach(async () => void (script = await startScript()));
afterEach(() => script.close());

function open(options: Partial<ClientAuthorizationOptions> = {}): Promise<Client> {
  const { fetch, visit } = script;
  const authorization = createClientAuthorization({
    server: SERVER,
    grant: { redirectUrl: REDIRECT_URL, visit },
    fetch,
    ...options,
  });
  return connectHttp(SERVER, { authorization, fetch, revision: "2025-11-25" });
}

const askedAt = (start: string): readonly string[] =>
  script.asked.filter((request) => request.startsWith(start));
const withIssuer = (change: object): void =>
  void script.answers.set(ISSUER_METADATA, { ...ISSUER_DOCUMENT, ...change });
const withServer = (change: object): void =>
  void script.answers.set(METADATA, { resource: SERVER, authorization_servers: [ISSUER], ...change });

/** The way that all attacks leave in one place. */
it("lets an honest client in", async () => {
  const client = await open();
  expect(client.agreement.server.info?.name).toBe("scripted");
  await client.close();
});

interface Attack {
  readonly name: string;
  readonly change: () => void;
  readonly options?: Partial<ClientAuthorizationOptions>;
  /** What the client says about it. */
  readonly says: RegExp;
  /** What it must not have asked for any more. */
  readonly never: string;
}

const ATTACKS: readonly Attack[] = [
  {
    name: "metadata of another issuer",
    change: () => withIssuer({ issuer: "https://honest.example.com" }),
    says: /"issuer" property does not match/,
    never: `POST ${ISSUER}`,
  },
  {
    name: "metadata of an issuer that only means the same",
    change: () => withIssuer({ issuer: `${ISSUER}/` }),
    says: /describes another issuer/,
    never: `POST ${ISSUER}`,
  },
  {
    name: "metadata of another server",
    change: () => withServer({ resource: "https://bank.example.com/mcp" }),
    says: /describes another server/,
    never: `GET ${ISSUER}`,
  },
  {
    name: "metadata of a neighbour",
    change: () => withServer({ resource: "https://mcp.example.com/mc" }),
    says: /describes another server/,
    never: `GET ${ISSUER}`,
  },
  {
    name: "an issuer without TLS",
    change: () => withServer({ authorization_servers: ["http://login.example.com"] }),
    says: /does not use https/,
    never: "GET http:",
  },
  ...[
    "https://127.0.0.1",
    "http://127.0.0.1:9",
    "https://localhost",
    "https://10.1.2.3",
    "https://169.254.169.254",
  ].map((inside): Attack => ({
    name: `an issuer inside the network: ${inside}`,
    change: () => withServer({ authorization_servers: [inside] }),
    says: /is inside this network/,
    never: `GET ${inside}`,
  })),
  ...["https://[::1]", "https://[::ffff:127.0.0.1]", "https://[fd00::1]", "https://0x7f.1"].map(
    (inside): Attack => ({
      name: `metadata inside the network: ${inside}`,
      change: () =>
        script.answers.set(`POST ${SERVER}`, (response: Parameters<typeof refuse>[0]) =>
          refuse(response, 401, `resource_metadata="${inside}/metadata"`),
        ),
      says: /is inside this network/,
      never: `GET ${inside}`,
    }),
  ),
  {
    name: "a token endpoint inside the network",
    change: () => withIssuer({ token_endpoint: "https://192.168.0.1/token" }),
    says: /is inside this network/,
    never: "POST https://192",
  },
  {
    name: "a page to log in at that is a script",
    change: () => withIssuer({ authorization_endpoint: "javascript:alert(1)" }),
    says: /does not use https/,
    never: TOKEN,
  },
  {
    name: "an authorization server that takes back PKCE",
    change: () => withIssuer({ code_challenge_methods_supported: ["plain"] }),
    says: /does not say that it supports PKCE/,
    never: `POST ${ISSUER}`,
  },
  {
    name: "metadata that has gone, so that addresses would be guessed",
    change: () => script.answers.delete(ISSUER_METADATA),
    says: /has no metadata/,
    never: `POST ${ISSUER}`,
  },
  {
    name: "metadata that is hidden, so that the server itself would be shown a secret",
    change: () => script.answers.delete(METADATA),
    options: { grant: "client_credentials", client: { id: "me", issuer: ISSUER, secret: "secret-1" } },
    says: /names other authorization servers than https:\/\/login/,
    never: "POST https://mcp.example.com/token",
  },
  {
    name: "metadata that fails, so that an older revision would be tried",
    change: () =>
      script.answers.set(METADATA, (response: Parameters<typeof reply>[0]) => reply(response, 500, {})),
    says: /HTTP status 500/,
    never: "POST https://mcp.example.com/register",
  },
  {
    name: "a redirect of metadata",
    change: () =>
      script.answers.set(ISSUER_METADATA, (response: Parameters<typeof reply>[0]) =>
        response.writeHead(307, { location: "https://elsewhere.example.com/metadata" }).end(),
      ),
    says: /unexpected HTTP status/,
    never: "GET https://elsewhere",
  },
  {
    name: "a redirect of the request for tokens",
    change: () =>
      script.answers.set(TOKEN, (response: Parameters<typeof reply>[0]) =>
        response.writeHead(307, { location: "https://elsewhere.example.com/token" }).end(),
      ),
    says: /unexpected HTTP status/,
    never: "POST https://elsewhere",
  },
  {
    name: "a state of another login",
    change: () => (script.back = { ...script.back, state: "another" }),
    says: /"state"/,
    never: TOKEN,
  },
  {
    name: "a code of another issuer",
    change: () => (script.back = { ...script.back, iss: "https://evil.example.com" }),
    says: /"iss"/,
    never: TOKEN,
  },
  {
    name: "an answer that leaves out the issuer",
    change: () => (script.back = { code: "code-1" }),
    says: /"iss" \(issuer\) missing/,
    never: TOKEN,
  },
  {
    name: "words of another issuer",
    change: () =>
      (script.back = {
        error: "access_denied",
        error_description: "call 555",
        iss: "https://evil.example.com",
      }),
    says: /^(?!.*555).*"iss"/,
    never: TOKEN,
  },
  {
    name: "an answer with a secret in its words",
    change: () =>
      script.answers.set(TOKEN, (response: Parameters<typeof reply>[0]) =>
        reply(response, 400, { error: "invalid_grant", refresh_token: "refresh-1" }),
      ),
    says: /invalid_grant/,
    never: "nothing",
  },
  {
    name: "a token that only its key may use",
    change: () => script.answers.set(TOKEN, { access_token: "access-1", token_type: "DPoP" }),
    says: /bound to a key/,
    never: `POST ${SERVER} DPoP`,
  },
  {
    name: "an answer without end",
    change: () =>
      script.answers.set(TOKEN, (response: Parameters<typeof reply>[0]) =>
        reply(response, 200, { access_token: "a".repeat(1_000_000), token_type: "Bearer" }),
      ),
    says: /larger than/,
    never: `POST ${SERVER} Bearer`,
  },
  {
    name: "an answer that never comes",
    change: () => script.answers.set(TOKEN, () => undefined),
    says: /no answer within 300 ms/,
    never: `POST ${SERVER} Bearer`,
  },
];

describe("a client", () => {
  it("gives up when a token is refused that was only just issued", async () => {
    script.answers.set(`POST ${SERVER}`, (response: Parameters<typeof refuse>[0]) =>
      refuse(response, 401, 'scope="read"'),
    );
    await expect(open()).rejects.toThrow(/refuses the token that .* has just issued/);
    expect(askedAt(TOKEN)).toHaveLength(1);
  });

  it("takes no token along to where it is redirected", async () => {
    const client = await open();
    script.answers.set(`POST ${SERVER}`, (response: Parameters<typeof reply>[0]) =>
      response.writeHead(307, { location: "https://elsewhere.example.com/mcp" }).end(),
    );
    await expect(client.ping()).rejects.toThrow(/redirects to https:\/\/elsewhere/);
    expect(askedAt("POST https://elsewhere")).toEqual([]);
    await client.close();
  });

  it("shows nothing of one authorization server to the next", async () => {
    const client = await open();
    const next = "https://next.example.com";
    withServer({ authorization_servers: [next] });
    const entries = Object.entries(ISSUER_DOCUMENT).map(([name, value]) => [
      name,
      typeof value === "string" ? value.replace(ISSUER, next) : value,
    ]);
    script.answers.set(
      `GET ${next}/.well-known/oauth-authorization-server`,
      Object.fromEntries(entries) as object,
    );
    script.answers.set(`POST ${next}/register`, (response: Parameters<typeof reply>[0]) =>
      reply(response, 201, { client_id: "me there", redirect_uris: [REDIRECT_URL] }),
    );
    script.answers.set(`POST ${next}/token`, { access_token: "next-1", token_type: "Bearer" });
    script.back = { code: "code-2", iss: next };
    script.answers.set(`POST ${SERVER}`, (response: Parameters<typeof refuse>[0], body: string) => {
      const isNew = script.asked.at(-1)?.includes("Bearer next-1") === true;
      if (!isNew) return refuse(response, 401, 'scope="read"');
      const { id } = JSON.parse(body) as { readonly id?: number };
      return reply(response, 200, { jsonrpc: "2.0", id, result: {} });
    });
    await client.ping();
    const shown = askedAt(`POST ${next}`).join("\n");
    expect(shown).toContain("me there".replace(" ", "+"));
    expect(shown).not.toMatch(/refresh-1|access-1|code-1|client_id=me(&|$)/);
    await client.close();
  });
});

describe("a client refuses", () => {
  it.each(ATTACKS)("$name", async ({ change, options, says, never }) => {
    change();
    const limits = { timeoutMs: 300, loginTimeoutMs: 20_000 };
    const refused = await open({ ...limits, ...options }).catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(AuthorizationError);
    const { message, hint, stack = "" } = refused as AuthorizationError;
    expect(message).toMatch(says);
    expect(hint).not.toBe("");
    expect(askedAt(never)).toEqual([]);
    for (const secret of SECRETS) expect(message + stack).not.toContain(secret);
    expect((refused as Error).cause).toBeUndefined();
  });
});
