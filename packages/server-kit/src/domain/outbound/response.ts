import type { Readable } from "node:stream";

import { createTooLarge } from "./body.ts";
import type { OutboundHeaders } from "./headers.ts";

/** Its body can be read once, in one of three ways, and occupies a slot in the host's queue until it is read or discarded. */
export interface OutboundResponse {
  /** The final URL, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: OutboundHeaders;
  /** The URLs that redirected, in order; empty if the first one answered. */
  readonly redirects: readonly string[];
  /** Decoded. Throws `too_large` beyond `maxBytes`. */
  readonly stream: AsyncIterable<Uint8Array>;
  bytes(): Promise<Uint8Array>;
  /** Decoded as UTF-8; use `bytes` for another charset. */
  text(): Promise<string>;
  /** Ends the request without reading the body. */
  discard(): void;
}

export interface BodyEnd {
  readonly bytes: number;
  readonly thrown?: unknown;
}

/** Counts the bytes read. `end` is called once, however the reading ends; on an error, its return value is thrown. */
export async function* readBody(
  body: Readable,
  maxBytes: number,
  end: (outcome: BodyEnd) => unknown,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  let isOver = false;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw createTooLarge(maxBytes);
      yield chunk;
    }
  } catch (thrown) {
    isOver = true;
    throw end({ bytes, thrown });
  } finally {
    if (!isOver) end({ bytes });
  }
}

export async function collect(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
