import { isModern, type Revision } from "@suite/check/wires";
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import {
  CLIENT_INFO,
  createAnswers,
  type AskedByServer,
  type Notified,
  type Outsider,
  type ProgramOrUrl,
  toProgram,
} from "./outsider.ts";

/** `auto` lets the client find out by itself; a revision pins it. */
function toNegotiation(revision: Revision | "auto"): ClientOptions {
  if (revision === "auto") return { versionNegotiation: { mode: "auto" } };
  if (isModern(revision)) return { versionNegotiation: { mode: { pin: revision } } };
  return { supportedProtocolVersions: [revision] };
}

/** The official client of the second generation, which knows both eras. */
export async function connectV2(target: ProgramOrUrl, revision: Revision | "auto"): Promise<Outsider> {
  const transport =
    target instanceof URL
      ? new StreamableHTTPClientTransport(target)
      : new StdioClientTransport(toProgram(target));
  const client = new Client(CLIENT_INFO, {
    ...toNegotiation(revision),
    capabilities: {
      roots: { listChanged: true },
      sampling: { tools: {} },
      elicitation: { form: {}, url: {} },
    },
  });
  const asked: AskedByServer[] = [];
  const notified: Notified[] = [];
  const answers = createAnswers();
  client.setRequestHandler("elicitation/create", ({ method, params }) => {
    asked.push({ method, params: params });
    return answers.elicit(params);
  });
  client.setRequestHandler("sampling/createMessage", ({ method, params }) => {
    asked.push({ method, params: params });
    const text = answers.sample(params);
    return { model: "outsider", role: "assistant", content: { type: "text", text } };
  });
  client.setRequestHandler("roots/list", ({ method }) => {
    asked.push({ method, params: {} });
    return { roots: answers.roots };
  });
  client.fallbackNotificationHandler = async (notification) => void notified.push(notification);
  await client.connect(transport);
  return {
    revision: client.getNegotiatedProtocolVersion() as Revision,
    pid: "pid" in transport ? (transport.pid ?? 0) : 0,
    sessionId: "sessionId" in transport ? transport.sessionId : undefined,
    client,
    asked,
    notified,
    answers,
    async callTool(name, args_ = {}, { signal, onProgress, meta } = {}) {
      const result = await client.callTool(
        { name, arguments: args_, ...(meta && { _meta: meta }) },
        { ...(signal && { signal }), ...(onProgress && { onprogress: onProgress as () => void }) },
      );
      return result;
    },
    async listen(uris) {
      if (client.getProtocolEra() === "modern") {
        return client.listen({
          toolsListChanged: true,
          promptsListChanged: true,
          resourcesListChanged: true,
          resourceSubscriptions: [...uris],
        });
      }
      for (const uri of uris) await client.subscribeResource({ uri });
      return { close: () => Promise.all(uris.map((uri) => client.unsubscribeResource({ uri }))) };
    },
  };
}
