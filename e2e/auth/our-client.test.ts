import {
  AuthorizationError,
  createClientAuthorization,
  type ClientAuthorizationOptions,
  openLoopbackLogin,
  type SavedLogin,
} from "@suite/auth/client";
import { connectHttp, type Client } from "@suite/core/client";
import type { HttpServing } from "@suite/core/http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { openBrowser } from "../support/browser.ts";
import { KNOWN_CLIENT, startAuthorizationServer, type AuthorizationServer } from "./authorization-server.ts";
import { Browser } from "./browser.ts";
import { startProtectedServer } from "./protected-server.ts";

let provider: AuthorizationServer;
let serving: HttpServing;
let clients: Client[];
/** Where the person was sent, in order. */
let visits: URL[];

beforeAll(async () => void (provider = await startAuthorizationServer("jwt")));
afterAll(() => provider.close());

beforeEach(async () => {
  [clients, visits] = [[], []];
  provider.requests.length = 0;
  Object.assign(provider.person, { consents: "mcp:read mcp:write mcp:admin" });
  Object.assign(provider.policy, { lifetime: 300, refreshes: false });
  serving = await startProtectedServer({ issuer: provider.issuer });
});

afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await serving.close(0);
});

async function open(options: Partial<ClientAuthorizationOptions> = {}): Promise<Client> {
  const { redirectUrl } = KNOWN_CLIENT;
  const person = new Browser();
  const visit = async (address: URL): Promise<URL> => {
    visits.push(address);
    const back = new URL(redirectUrl);
    back.search = String(await person.visit(address, redirectUrl));
    return back;
  };
  const grant = { redirectUrl, visit };
  const authorization = createClientAuthorization({ server: serving.url, grant, ...options });
  const client = await connectHttp(serving.url, { authorization });
  clients.push(client);
  return client;
}

const call = async (client: Client, name: string, args?: object): Promise<unknown> =>
  (await client.callTool(name, args)).content[0];
const scopes = (): string[] => (visits.at(-1)?.searchParams.get("scope") ?? "").split(" ");
const askedFor = (start: string): number =>
  provider.requests.filter((request) => request.startsWith(start)).length;

describe("our client and oidc-provider", () => {
  it("let a stranger in, and ask for more when a tool needs more", async () => {
    const client = await open();
    expect(await call(client, "count_notes")).toMatchObject({ text: "1" });
    expect(visits[0]?.searchParams.get("resource")).toBe(serving.url);
    expect(scopes()).not.toContain("mcp:write");
    expect(await call(client, "add_note", { text: "second" })).toMatchObject({ text: "note 2" });
    expect(scopes()).toEqual(expect.arrayContaining(["mcp:read", "mcp:write"]));
    expect(visits).toHaveLength(2);
    expect(askedFor("POST /reg ")).toBe(1);
  });

  it("go no further than the person consents to", async () => {
    provider.person.consents = "mcp:read";
    const client = await open();
    await expect(client.callTool("forget_notes")).rejects.toThrow(AuthorizationError);
    expect(await call(client, "count_notes")).toMatchObject({ text: "1" });
    expect(visits.length).toBeLessThanOrEqual(3);
  });

  it("refresh once, however many calls need it, and keep what a store keeps", async () => {
    Object.assign(provider.policy, { lifetime: 2, refreshes: true });
    const saved = new Map<string, SavedLogin>();
    const store = {
      load: (server: string) => saved.get(server),
      save: (server: string, login: SavedLogin) => void saved.set(server, login),
    };
    const known = { client: { id: KNOWN_CLIENT.clientId, issuer: provider.issuer }, store };
    const client = await open(known);
    const first = saved.get(serving.url)?.tokens?.access;
    provider.policy.lifetime = 300;
    await new Promise((resolve) => setTimeout(resolve, 2500));
    const before = askedFor("POST /token ");
    const counts = await Promise.all([1, 2, 3, 4].map(() => call(client, "count_notes")));
    expect(counts).toMatchObject([{ text: "1" }, { text: "1" }, { text: "1" }, { text: "1" }]);
    expect(askedFor("POST /token ") - before).toBe(1);
    expect(saved.get(serving.url)?.tokens?.access).not.toBe(first);
    // Another process goes on with it; another client does not.
    await open(known);
    expect(visits).toHaveLength(1);
    await open({ store });
    expect(visits).toHaveLength(1);
    await open({ ...known, client: { ...known.client, id: "somebody else" } }).catch(() => undefined);
    expect(visits).toHaveLength(2);
  });

  it("bring a person back from a browser, and nobody else", async () => {
    const browser = await openBrowser();
    const page = await browser.newPage();
    let strangers: Promise<number[]> | undefined;
    const login = await openLoopbackLogin({
      show: (address) => {
        const { redirectUrl } = login;
        const wrong = [
          fetch(`${redirectUrl}?code=x&state=guessed`),
          fetch(`${redirectUrl}?code=x`),
          fetch(`${redirectUrl}?state=${address.searchParams.get("state")}`, { method: "POST" }),
          fetch(new URL(`/elsewhere?state=${address.searchParams.get("state")}`, redirectUrl)),
        ];
        strangers = Promise.all(wrong.map(async (response) => (await response).status));
        void strangers.then(() => page.goto(address.href));
      },
    });
    const client = await open({ grant: login });
    expect(await call(client, "count_notes")).toMatchObject({ text: "1" });
    expect(await strangers).toEqual([404, 404, 404, 404]);
    await expect.poll(() => page.textContent("body")).toContain("You are logged in.");
    login.close();
  });
});
