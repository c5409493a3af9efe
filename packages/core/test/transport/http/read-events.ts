import { EventParser, type ServerSentEvent } from "../../../src/transport/http/event-parser.ts";

export interface ReadEvents {
  readonly events: readonly ServerSentEvent[];
  readonly retries: readonly number[];
}

/** What a parser makes of text that comes in these pieces. */
export function readEvents(...pieces: readonly string[]): ReadEvents {
  const events: ServerSentEvent[] = [];
  const retries: number[] = [];
  const parser = new EventParser({
    event: (event) => void events.push(event),
    retry: (ms) => void retries.push(ms),
  });
  for (const piece of pieces) parser.push(piece);
  return { events, retries };
}
