import type { Revision } from "@suite/check/wires";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  type JSONRPCMessage,
} from "@modelcontextprotocol/sdk/types.js";

import {
  CLIENT_INFO,
  createAnswers,
  type AskedByServer,
  type Notified,
  type Outsider,
  type ProgramOrUrl,
  toProgram,
} from "./outsider.ts";

type Sent = Parameters<StreamableHTTPClientTransport["send"]>;

/** This client always offers its newest revision; here an older one is put in its place on the way out. */
function pin(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  revision: Revision,
): () => string | undefined {
  let negotiated: string | undefined;
  const send = transport.send.bind(transport) as (...sent: Sent) => Promise<void>;
  transport.send = async (message: JSONRPCMessage, ...options: unknown[]): Promise<void> => {
    const isOffer = "method" in message && message.method === "initialize";
    const pinned = isOffer && { ...message, params: { ...message.params, protocolVersion: revision } };
    await send(...([pinned || message, ...options] as Sent));
  };
  const tell = "setProtocolVersion" in transport ? transport.setProtocolVersion.bind(transport) : undefined;
  Object.assign(transport, {
    setProtocolVersion(version: string) {
      negotiated = version;
      tell?.(version);
    },
  });
  return () => negotiated;
}

/** The official client of the first generation, which knows the legacy era alone. */
export async function connectV1(
  target: ProgramOrUrl,
  revision: Revision,
  /** Lets a test come between client and server. */
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<Outsider> {
  const transport =
    target instanceof URL
      ? new StreamableHTTPClientTransport(target, { fetch: (url, init) => fetch(url, init) })
      : new StdioClientTransport(toProgram(target));
  const negotiated = pin(transport, revision);
  const client = new Client(CLIENT_INFO, {
    capabilities: {
      roots: { listChanged: true },
      sampling: { tools: {} },
      elicitation: { form: {}, url: {} },
    },
  });
  const asked: AskedByServer[] = [];
  const notified: Notified[] = [];
  const answers = createAnswers();
  client.setRequestHandler(ElicitRequestSchema, ({ method, params }) => {
    asked.push({ method, params });
    return answers.elicit(params);
  });
  client.setRequestHandler(CreateMessageRequestSchema, ({ method, params }) => {
    asked.push({ method, params });
    return { model: "outsider", role: "assistant", content: { type: "text", text: answers.sample(params) } };
  });
  client.setRequestHandler(ListRootsRequestSchema, ({ method }) => {
    asked.push({ method, params: {} });
    return { roots: answers.roots };
  });
  client.fallbackNotificationHandler = async (notification) => void notified.push(notification);
  await client.connect(transport);
  return {
    revision: negotiated() as Revision,
    pid: "pid" in transport ? (transport.pid ?? 0) : 0,
    sessionId: "sessionId" in transport ? transport.sessionId : undefined,
    client,
    asked,
    notified,
    answers,
    async callTool(name, args = {}, { signal, onProgress, meta } = {}) {
      const params = { name, arguments: args, ...(meta && { _meta: meta }) };
      const result = await client.callTool(params, CallToolResultSchema, {
        ...(signal && { signal }),
        ...(onProgress && { onprogress: onProgress as () => void }),
      });
      return result as unknown as Awaited<ReturnType<Outsider["callTool"]>>;
    },
    async listen(uris) {
      for (const uri of uris) await client.subscribeResource({ uri });
      return { close: () => Promise.all(uris.map((uri) => client.unsubscribeResource({ uri }))) };
    },
  };
}
