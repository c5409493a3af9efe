import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
  type ClientOptions,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import type { Wallet } from "./wallet.ts";

/** An official client at a protected server, as its user sees it. */
export interface Visitor {
  connect(): Promise<void>;
  /** Hands over what the browser brought back. */
  finish(params: URLSearchParams): Promise<void>;
  call(name: string, args?: { readonly [name: string]: unknown }): Promise<string>;
  close(): Promise<void>;
}

export type StartVisit = (url: string, wallet: Wallet) => Visitor;

const INFO = { name: "outsider", version: "1.0.0" };

const toText = (result: unknown): string =>
  (result as { readonly content: readonly { readonly text: string }[] }).content
    .map((item) => item.text)
    .join();

function visitV1(url: string, wallet: Wallet): Visitor {
  const client = new ClientV1(INFO);
  const authProvider = wallet as unknown as OAuthClientProvider;
  const transport = new TransportV1(new URL(url), { authProvider });
  return {
    connect: () => client.connect(transport),
    finish: (params) => transport.finishAuth(params.get("code") ?? ""),
    call: async (name, args = {}) => toText(await client.callTool({ name, arguments: args })),
    close: () => client.close(),
  };
}

function visitV2(negotiation: ClientOptions): StartVisit {
  return (url, wallet) => {
    const client = new ClientV2(INFO, negotiation);
    const transport = new TransportV2(new URL(url), { authProvider: wallet });
    return {
      connect: () => client.connect(transport),
      finish: (params) => transport.finishAuth(params),
      call: async (name, args = {}) => toText(await client.callTool({ name, arguments: args })),
      close: () => client.close(),
    };
  };
}

export const VISITS: readonly (readonly [string, StartVisit])[] = [
  ["SDK 1.32, 2025-11-25", visitV1],
  ["client 2.4, 2025-11-25", visitV2({ supportedProtocolVersions: ["2025-11-25"] })],
  ["client 2.4, 2026-07-28", visitV2({ versionNegotiation: { mode: { pin: "2026-07-28" } } })],
];
