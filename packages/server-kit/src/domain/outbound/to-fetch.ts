import type { HeaderRecord, OutboundHeaders } from "./headers.ts";
import type { Send } from "./request.ts";

/** The subset of `fetch` that API clients use. Node's own fetch would load a second copy of undici. */
export type FetchLike = (
  url: string | URL,
  init?: {
    readonly method?: string;
    readonly headers?: HeaderRecord;
    readonly body?: string | Uint8Array | null;
    readonly signal?: AbortSignal | null;
    readonly redirect?: "follow" | "manual" | "error";
  },
) => Promise<FetchLikeResponse>;

/** As much of Fetch's Response as libraries use that take a `fetch` of one's own. */
export interface FetchLikeResponse {
  readonly url: string;
  readonly status: number;
  readonly ok: boolean;
  readonly redirected: boolean;
  /** Names are in lower case. */
  readonly headers: OutboundHeaders;
  /** Occupies a slot in the host's queue until it is read or cancelled. */
  readonly body: AsyncIterable<Uint8Array> & { cancel(): Promise<void> };
  text(): Promise<string>;
  json(): Promise<unknown>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** Rate limits are returned, not thrown: API clients have their own retry logic. */
export function createFetchLike(send: Send): FetchLike {
  return async (url, { method = "GET", headers = {}, body, signal, redirect = "follow" } = {}) => {
    const response = await send(url, {
      method,
      headers,
      ...(body && { body }),
      ...(signal && { signal }),
      redirect: redirect === "follow" ? "follow" : "manual",
      rateLimits: "return",
    });
    const { status } = response;
    if (redirect === "error" && status >= 300 && status < 400 && status !== 304) {
      response.discard();
      throw new TypeError(`${response.url} redirects`);
    }
    return {
      url: response.url,
      status,
      ok: status >= 200 && status < 300,
      redirected: response.redirects.length > 0,
      headers: response.headers,
      body: {
        [Symbol.asyncIterator]: () => response.stream[Symbol.asyncIterator](),
        cancel: async () => response.discard(),
      },
      text: () => response.text(),
      json: async () => JSON.parse(await response.text()) as unknown,
      arrayBuffer: async () => {
        const bytes = await response.bytes();
        return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
      },
    };
  };
}
