import { createAuthorizer, type AuthOptions } from "@suite/auth";
import { createServer, defineTool } from "@suite/core";
import { serveHttp, type HttpServing } from "@suite/core/http";

import { freePort } from "../support/free-port.ts";

const text = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;

/** One tool for each scope. */
const tools = [
  defineTool({
    name: "count_notes",
    description: "Counts the notes",
    effects: "read",
    run: (_, { state }: { readonly state: string[] }) => String(state.length),
  }),
  defineTool({
    name: "add_note",
    description: "Adds a note",
    effects: "write",
    input: text,
    run: ({ text: note }, { state }: { readonly state: string[] }) => `note ${state.push(note)}`,
  }),
  defineTool({
    name: "forget_notes",
    description: "Forgets all notes",
    effects: "destructive",
    run: (_, { state }: { readonly state: string[] }) => `forgot ${state.splice(0).length}`,
  }),
];

/** A server that only lets in whoever the issuer vouches for. */
export async function startProtectedServer(
  options: Pick<AuthOptions, "issuer" | "introspection">,
): Promise<HttpServing> {
  // The resource has to be known before the server listens.
  const port = await freePort();
  const resource = `http://127.0.0.1:${port}/mcp`;
  const server = createServer({ name: "protected", version: "1.0.0", state: ["first"], tools });
  return serveHttp(server, {
    port,
    authorizer: createAuthorizer({ ...options, resource, leewaySeconds: 0 }),
  });
}
