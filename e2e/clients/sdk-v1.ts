import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  type JSONRPCMessage,
} from "@modelcontextprotocol/sdk/types.js";

import type { Revision } from "../support/revisions.ts";
import { CLIENT_INFO, createAnswers, type Asked, type Notified, type Outsider } from "./outsider.ts";

/** This client always offers its newest revision; here an older one is put in its place on the way out. */
class PinnedTransport extends StdioClientTransport {
  readonly #revision: Revision;
  negotiated: string | undefined;

  constructor([command = "", ...args]: readonly string[], revision: Revision) {
    super({ command, args, stderr: "ignore" });
    this.#revision = revision;
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    if (!("method" in message) || message.method !== "initialize") return super.send(message);
    return super.send({ ...message, params: { ...message.params, protocolVersion: this.#revision } });
  }

  setProtocolVersion(version: string): void {
    this.negotiated = version;
  }
}

/** The official client of the first generation, which knows the legacy era alone. */
export async function connectV1(command: readonly string[], revision: Revision): Promise<Outsider> {
  const transport = new PinnedTransport(command, revision);
  const client = new Client(CLIENT_INFO, {
    capabilities: {
      roots: { listChanged: true },
      sampling: { tools: {} },
      elicitation: { form: {}, url: {} },
    },
  });
  const asked: Asked[] = [];
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
    revision: transport.negotiated as Revision,
    pid: transport.pid ?? 0,
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
