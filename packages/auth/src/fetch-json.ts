import { UnavailableError } from "./error.ts";

export type JsonObject = { readonly [name: string]: unknown };

/** Metadata, keys and introspection answers are a few kilobytes. */
const LARGEST_ANSWER = 512 * 1024;

interface JsonRequest {
  readonly method?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
}

/** The part of the platform's fetch that is used here. */
export type AuthFetch = (
  url: string,
  init: JsonRequest & { readonly signal: AbortSignal; readonly redirect: "error" },
) => Promise<{ readonly status: number; readonly body: Body | null }>;

type Body = AsyncIterable<Uint8Array> & { cancel(): Promise<void> };

export type Fetch = typeof globalThis.fetch;

/** For programs that pass none of their own. */
export const platformFetch = (): Fetch => globalThis.fetch;

export type FetchJson = (url: string, signal: AbortSignal, request?: JsonRequest) => Promise<JsonObject>;

/** Asks the authorization server. Every failure is an UnavailableError, whose message contains nothing that was sent. */
export function createFetchJson(fetch: AuthFetch = globalThis.fetch): FetchJson {
  return async (url, signal, request = {}) => {
    try {
      // A redirect would take the credentials of an introspection to wherever it points.
      const response = await fetch(url, { ...request, signal, redirect: "error" });
      if (response.status !== 200) {
        await response.body?.cancel();
        throw new Error(`the status was ${response.status}`);
      }
      return parseObject(await readText(response.body, signal));
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new UnavailableError(`No usable answer from ${url}: ${reason}`, { cause });
    }
  };
}

/**
 * The whole body, up to the limit. Does not leave the signal to `fetch`: Node 20's forgets it while the body comes, if redirects
 * are errors and garbage is collected.
 */
export async function readText(body: Body | null, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  let stop: () => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
  });
  signal.addEventListener("abort", stop);
  try {
    return await Promise.race([readAll(body, signal), stopped]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function readAll(body: Body | null, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const bytes of body ?? []) {
    // Throwing out of the loop cancels the rest.
    signal.throwIfAborted();
    size += bytes.byteLength;
    // Bytes are counted after decompression.
    if (size > LARGEST_ANSWER) throw new Error(`the answer is larger than ${LARGEST_ANSWER} bytes`);
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}

/** Errors do not quote the text. */
export function parseObject(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message would quote the answer.
    throw new Error("the answer is not JSON");
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new Error("the answer is not a JSON object");
}
