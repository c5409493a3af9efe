import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  type JSONRPCMessage,
} from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";

import type { OfficialClient, ToolResult } from "../clients/outsider.ts";
import { isModern, type Revision } from "../support/revisions.ts";

type Fields = Record<string, unknown>;
type Progress = (progress: { progress: number }) => void;

/** A client that nobody here wrote, connected over HTTP. */
export interface Visitor {
  readonly revision: string | undefined;
  readonly sessionId: string | undefined;
  readonly client: OfficialClient;
  readonly notified: { readonly method: string; readonly params?: Fields | undefined }[];
  readonly callTool: (name: string, args?: Fields, onprogress?: Progress) => Promise<ToolResult>;
  /** Hears of changes of resources, and of all lists. */
  readonly listen: (uris: readonly string[]) => Promise<unknown>;
}

const INFO = { name: "visitor", version: "1" };
const CAPABILITIES = { roots: { listChanged: true }, sampling: {}, elicitation: { form: {} } };
const ROOTS = { roots: [{ uri: "file:///home", name: "home" }] };
const SAMPLE = { model: "visitor", role: "assistant", content: { type: "text", text: "pong" } } as const;
const FORM = { action: "accept", content: { word: "yes" } } as const;

/** This client always offers its newest revision; here an older one is put in its place on the way out. */
class PinnedTransport extends TransportV1 {
  readonly #revision: Revision;

  constructor(url: string, revision: Revision, fetch: typeof globalThis.fetch) {
    super(new URL(url), { fetch: (target, init) => fetch(target, init) });
    this.#revision = revision;
  }

  override async send(message: JSONRPCMessage, options?: Parameters<TransportV1["send"]>[1]): Promise<void> {
    if (!("method" in message) || message.method !== "initialize") return super.send(message, options);
    return super.send(
      { ...message, params: { ...message.params, protocolVersion: this.#revision } },
      options,
    );
  }
}

/** `fetch` lets a test come between client and server. */
export async function visitV1(
  url: string,
  revision: Revision,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<Visitor> {
  const transport = new PinnedTransport(url, revision, fetch);
  const client = new ClientV1(INFO, { capabilities: CAPABILITIES });
  const notified: { method: string; params?: Fields | undefined }[] = [];
  client.setRequestHandler(ElicitRequestSchema, () => FORM);
  client.setRequestHandler(CreateMessageRequestSchema, () => SAMPLE);
  client.setRequestHandler(ListRootsRequestSchema, () => ROOTS);
  client.fallbackNotificationHandler = async (notification) => void notified.push(notification);
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    revision: transport.protocolVersion,
    sessionId: transport.sessionId,
    client,
    notified,
    async callTool(name, args = {}, onprogress) {
      const options = onprogress ? { onprogress } : {};
      return (await client.callTool({ name, arguments: args }, CallToolResultSchema, options)) as ToolResult;
    },
    listen: (uris) => Promise.all(uris.map((uri) => client.subscribeResource({ uri }))),
  };
}

export async function visitV2(url: string, revision: Revision | "auto"): Promise<Visitor> {
  const negotiation =
    revision === "auto"
      ? { versionNegotiation: { mode: "auto" } as const }
      : isModern(revision)
        ? { versionNegotiation: { mode: { pin: revision } } }
        : { supportedProtocolVersions: [revision] };
  const transport = new TransportV2(new URL(url));
  const client = new ClientV2(INFO, { ...negotiation, capabilities: CAPABILITIES });
  const notified: { method: string; params?: Fields | undefined }[] = [];
  client.setRequestHandler("elicitation/create", () => FORM);
  client.setRequestHandler("sampling/createMessage", () => SAMPLE);
  client.setRequestHandler("roots/list", () => ROOTS);
  client.fallbackNotificationHandler = async (notification) => void notified.push(notification);
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    revision: client.getNegotiatedProtocolVersion(),
    sessionId: transport.sessionId,
    client,
    notified,
    async callTool(name, args = {}, onprogress) {
      return client.callTool({ name, arguments: args }, onprogress ? { onprogress } : {});
    },
    async listen(uris) {
      if (client.getProtocolEra() !== "modern")
        return Promise.all(uris.map((uri) => client.subscribeResource({ uri })));
      const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
      return client.listen({ ...lists, resourceSubscriptions: [...uris] });
    },
  };
}
