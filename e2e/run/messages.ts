import { META_CLIENT_CAPABILITIES, META_CLIENT_INFO, META_PROTOCOL_VERSION } from "@suite/check/wires";

interface Message {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly id: number;
  readonly params: Readonly<Record<string, unknown>>;
}

const clientInfo = { name: "run", version: "1" };

export const INITIALIZE: Message & { readonly params: { readonly protocolVersion: string } } = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: { elicitation: {} }, clientInfo },
};

export const MODERN_TOOLS_LIST: Message = {
  jsonrpc: "2.0",
  id: 2,
  method: "tools/list",
  params: {
    _meta: {
      [META_PROTOCOL_VERSION]: "2026-07-28",
      [META_CLIENT_INFO]: clientInfo,
      [META_CLIENT_CAPABILITIES]: {},
    },
  },
};

export const MODERN_HEADERS = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" } as const;

export function post(url: string, message: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify(message),
  });
}

/** Reads the data of events one by one. */
export async function* readEvents(response: Response): AsyncGenerator<string, void> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) yield /^data: (.*)$/m.exec(event)?.[1] ?? "";
  }
}
