import type { Fields, Message } from "@suite/check/wires";

import { FILESYSTEM } from "../support/servers.ts";
import { startServer, type RawServer } from "../hostile/raw-server.ts";
import type { Way } from "./ways.ts";
import type { World } from "./world.ts";

/** The built server over the world's root, or whatever the arguments say, after the handshake. */
export async function openFilesystem(
  world: World,
  args: readonly string[] = [world.root],
  wrap: (command: readonly string[]) => readonly string[] = (plain) => plain,
): Promise<RawServer> {
  const server = startServer(wrap([...FILESYSTEM, ...args]));
  const clientInfo = { name: "safety", version: "1" };
  await ask(server, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  server.notify("notifications/initialized");
  return server;
}

let asked = 0;

export async function ask(server: RawServer, method: string, params: Fields = {}): Promise<Message> {
  const id = `asked-${(asked += 1)}`;
  let [answer, heard]: [Message | undefined, number] = [undefined, server.heard.length];
  server.say({ jsonrpc: "2.0", id, method, params });
  await server.until(() => {
    for (; answer === undefined && heard < server.heard.length; heard += 1) {
      if (server.heard[heard]?.id === id) answer = server.heard[heard];
    }
    return answer !== undefined;
  });
  return answer as unknown as Message;
}

export const callTool = (server: RawServer, name: string, args: Fields): Promise<Message> =>
  ask(server, "tools/call", { name, arguments: args });

export const takeWay = (server: RawServer, way: Way, path: string): Promise<Message> => {
  const { method, params } = way.request(path);
  return ask(server, method, params);
};

interface Failure {
  readonly code: string;
  readonly details?: Fields;
}

const META = "dev.suite/error";

/** What kind of failure an answer is; nothing for a success. One file of several counts by itself. */
export function codeOf({ result, error }: Message): string | undefined {
  const data = error?.data as Fields | undefined;
  if (error) return (data?.[META] as Failure | undefined)?.code ?? String(error.code);
  const meta = result?.["_meta"] as Fields | undefined;
  if (result?.["isError"] === true) return (meta?.[META] as Failure | undefined)?.code ?? "no code";
  const reports = dataOf({ result } as Message)["files"];
  const failed = Array.isArray(reports)
    ? (reports as { readonly error?: Failure }[]).find((report) => report.error)
    : undefined;
  return failed?.error?.code;
}

export const dataOf = ({ result }: Message): Fields => (result?.["structuredContent"] ?? {}) as Fields;

/** Everything that the server has said, in any way. */
export const everythingSaid = (server: RawServer): string =>
  JSON.stringify(server.heard) + server.strays.join("\n") + server.stderr;

/** Values that a completion offers. */
export const completionsOf = ({ result }: Message): readonly string[] =>
  (result?.["completion"] as { readonly values?: readonly string[] } | undefined)?.values ?? [];
