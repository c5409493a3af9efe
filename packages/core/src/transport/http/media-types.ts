import type { HttpExchange } from "./exchange.ts";

export const hasMediaType = (header: string | undefined, type: string): boolean =>
  header === type || (header !== undefined && header.split(";", 1)[0]?.trim().toLowerCase() === type);

/** What nearly every client sends: recognized without parsing the header. */
const BOTH: ReadonlySet<string> = new Set([
  "application/json, text/event-stream",
  "text/event-stream, application/json",
]);

/** Whether the client accepts both JSON and event streams, as it must (streamable-http#sending-messages). */
export function acceptsBoth(exchange: HttpExchange): boolean {
  const accept = exchange.header("accept") ?? "";
  return (
    BOTH.has(accept) || (accepts(exchange, "application/json") && accepts(exchange, "text/event-stream"))
  );
}

export function accepts(exchange: HttpExchange, type: string): boolean {
  const accept = exchange.header("accept");
  if (accept === undefined) return false;
  const [group] = type.split("/", 1);
  return accept.split(",").some((range) => {
    const name = range.split(";", 1)[0]?.trim().toLowerCase();
    return name === type || name === "*/*" || name === `${group}/*`;
  });
}
