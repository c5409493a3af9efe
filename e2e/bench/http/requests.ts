import type { Era } from "@suite/core";
import { initialized, opening, toEchoCalls, revisionOf } from "../servers/messages.ts";

/** Headers that a request of the era must have besides HTTP's own. */
function headersOf(era: Era, message: object, session: string | undefined): Record<string, string> {
  if (era === "legacy") {
    return session === undefined
      ? {}
      : { "mcp-session-id": session, "mcp-protocol-version": revisionOf.legacy };
  }
  const { method } = message as { readonly method: string };
  return { "mcp-protocol-version": revisionOf.modern, "mcp-method": method, "mcp-name": "echo" };
}

/** A whole HTTP request as bytes, made before the clock starts. */
function toHttpRequest(port: number, era: Era, message: object, session?: string): Buffer {
  const body = JSON.stringify(message);
  const headers = {
    host: `127.0.0.1:${port}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "content-length": String(Buffer.byteLength(body)),
    ...headersOf(era, message, session),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`POST /mcp HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}

export const toHandshake = (port: number): Buffer => toHttpRequest(port, "legacy", opening.legacy);

export const toInitialized = (port: number, session: string | undefined): Buffer =>
  toHttpRequest(port, "legacy", initialized, session);

export const toEchoRequests = (
  port: number,
  era: Era,
  range: { readonly firstId: number; readonly count: number },
  session: string | undefined,
): Buffer[] =>
  toEchoCalls(range.firstId, range.count, era).map((call) => toHttpRequest(port, era, call, session));
