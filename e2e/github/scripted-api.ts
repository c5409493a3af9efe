import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import type { Fields } from "@suite/check/wires";

export interface ReceivedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface ScriptedReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is text. */
  readonly body?: unknown;
  /** Does what it likes with the connection instead. */
  readonly raw?: (response: ServerResponse) => void;
}

/** Answers by `METHOD /path`, with or without the query; a function looks at the question first. */
export type Script = Readonly<Record<string, ScriptedReply | ((asked: ReceivedRequest) => ScriptedReply)>>;

/** First one answer, then the other, forever. */
export const firstThen = (first: ScriptedReply, then: ScriptedReply): (() => ScriptedReply) => {
  let count = 0;
  return () => (count++ === 0 ? first : then);
};

/** A stand-in that answers as it is told: with limits, failures, and whatever else GitHub has in store. */
export interface ScriptedApi {
  readonly url: string;
  readonly asked: ReceivedRequest[];
  /** As `METHOD /path`, without the query. */
  readonly lines: () => readonly string[];
  script: Script;
  /** From now on it keeps nobody from ending. */
  unref(): void;
  close(): Promise<void>;
}

/** As git names it. */
export const toBlobSha = (content: string | Buffer): string =>
  createHash("sha1")
    .update(`blob ${Buffer.byteLength(content)}\0`)
    .update(content)
    .digest("hex");

/** A file as it is among the contents of a repository. */
export const toFileBody = (path: string, content: string | Buffer): Fields => ({
  type: "file",
  path,
  sha: toBlobSha(content),
  size: Buffer.byteLength(content),
  encoding: "base64",
  content: Buffer.from(content).toString("base64"),
});

export async function startScriptedApi(script: Script = {}): Promise<ScriptedApi> {
  const asked: ReceivedRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const { method = "", url: path = "", headers } = incoming;
      const question: ReceivedRequest = { method, path, headers, body: Buffer.concat(chunks).toString() };
      asked.push(question);
      tell(outgoing, find(api.script, question));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const api: ScriptedApi = {
    url: `http://127.0.0.1:${port}`,
    asked,
    lines: () => asked.map(({ method, path }) => `${method} ${path.replace(/\?.*/, "")}`),
    script,
    unref: () => void server.unref(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return api;
}

function find(script: Script, asked: ReceivedRequest): ScriptedReply {
  const { method, path } = asked;
  const told = script[`${method} ${path}`] ?? script[`${method} ${path.replace(/\?.*/, "")}`];
  if (told === undefined) return { status: 404, body: { message: "Not Found" } };
  return typeof told === "function" ? told(asked) : told;
}

function tell(outgoing: ServerResponse, { status = 200, headers = {}, body, raw }: ScriptedReply): void {
  if (raw) return raw(outgoing);
  const type = typeof body === "string" ? "text/plain; charset=utf-8" : "application/json; charset=utf-8";
  outgoing.writeHead(status, { "content-type": type, ...headers });
  outgoing.end(body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body));
}
