import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export const SERVER = "https://mcp.example.com/mcp";
export const ISSUER = "https://login.example.com";
export const REDIRECT_URL = "http://127.0.0.1:1/callback";
/** What must not appear in any message. */
export const SECRETS = ["code-1", "access-1", "refresh-1", "secret-1"] as const;

/** An object is sent as JSON. */
export type Answer =
  | object
  | ((response: ServerResponse, body: string, headers: IncomingMessage["headers"]) => void);

/** A server and an authorization server of any address, which answer as a test wants. */
export interface Script {
  /** By method and address. */
  readonly answers: Map<string, Answer>;
  /** Method, address, credentials and body of all requests. */
  readonly asked: string[];
  /** What the person comes back with. */
  back: Record<string, string>;
  /** Reaches all addresses here. */
  readonly fetch: typeof globalThis.fetch;
  /** Logs in at once. */
  readonly visit: (address: URL) => Promise<URL>;
  close(): Promise<void>;
}

export const METADATA = "GET https://mcp.example.com/.well-known/oauth-protected-resource/mcp";
export const ISSUER_METADATA = "GET https://login.example.com/.well-known/oauth-authorization-server";
export const TOKEN = "POST https://login.example.com/token";

export const ISSUER_DOCUMENT: { readonly [name: string]: unknown } = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  registration_endpoint: `${ISSUER}/register`,
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  token_endpoint_auth_methods_supported: ["none"],
};

export async function startScript(): Promise<Script> {
  const answers = new Map<string, Answer>([
    [METADATA, { resource: SERVER, authorization_servers: [ISSUER], scopes_supported: ["read"] }],
    [ISSUER_METADATA, ISSUER_DOCUMENT],
    [
      `POST ${ISSUER}/register`,
      (response) => reply(response, 201, { client_id: "me", redirect_uris: [REDIRECT_URL] }),
    ],
    [TOKEN, { access_token: "access-1", refresh_token: "refresh-1", token_type: "Bearer", expires_in: 60 }],
    [`POST ${SERVER}`, serve],
  ]);
  const asked: string[] = [];
  const http = createServer((request, response) => void answer(request, response, answers, asked));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const here = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const script: Script = {
    answers,
    asked,
    back: { code: "code-1", iss: ISSUER },
    fetch: (address, init) => {
      const headers = new Headers(init?.headers);
      headers.set("x-address", new Request(address).url);
      return fetch(here, { ...init, headers });
    },
    visit: (address) => {
      const back = new URL(address.searchParams.get("redirect_uri") ?? "");
      const state = address.searchParams.get("state") ?? "";
      for (const [name, value] of Object.entries({ state, ...script.back }))
        back.searchParams.set(name, value);
      return Promise.resolve(back);
    },
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
  return script;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  answers: Script["answers"],
  asked: string[],
): Promise<void> {
  const { method, headers } = request;
  const body = await text(request);
  const place = `${method} ${String(headers["x-address"])}`;
  asked.push(`${place} ${headers.authorization ?? ""} ${body}`);
  const wanted = answers.get(place);
  if (typeof wanted === "function") wanted(response, body, headers);
  else reply(response, wanted ? 200 : 404, wanted ?? {});
}

export function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

export function refuse(response: ServerResponse, status: number, challenge: string): void {
  response.writeHead(status, { "www-authenticate": `Bearer ${challenge}` }).end();
}

/** Lets in whoever has the first token, or a later one. */
function serve(response: ServerResponse, body: string, headers: IncomingMessage["headers"]): void {
  if (!headers.authorization?.startsWith("Bearer access-")) return refuse(response, 401, 'scope="read"');
  const { id } = JSON.parse(body) as { readonly id?: number };
  if (id === undefined) return void response.writeHead(202).end();
  const result = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    serverInfo: { name: "scripted", version: "1" },
  };
  return reply(response, 200, { jsonrpc: "2.0", id, result });
}
