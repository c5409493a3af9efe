import { codeOf, Fault } from "@suite/server-kit/domain";
import type { Outbound, OutboundOptions } from "@suite/server-kit/outbound";

import { ONLY_END } from "../answers/log-lines.ts";
import type { Endpoints } from "./endpoints.ts";
import type { SendRequest } from "./octokit-fetch.ts";

export type ProxyEnvironment = NonNullable<OutboundOptions["environment"]>;

/** Of one response, decoded. */
const LARGEST_BODY = 20 * 1024 * 1024;
/** Calls have their own, shorter deadlines. */
const LONGEST_MS = 600_000;

/**
 * The kit's outbound client, loaded with the first request. Only the API's host, which the operator chose, may be private (an
 * Enterprise Server, or this machine).
 */
export function createSend(
  { rest }: Endpoints,
  environment: ProxyEnvironment,
): { readonly send: SendRequest; readonly close: () => Promise<void> } {
  const url = new URL(rest);
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const isCloud = /(^|\.)(github|ghe)\.com$/.test(url.hostname);
  let outbound: Promise<Outbound> | undefined;
  const open = async (): Promise<Outbound> => {
    const { createOutbound } = await import("@suite/server-kit/outbound");
    return createOutbound({
      userAgent: "suite-server-github",
      allowPrivateHosts: isCloud ? [] : [`${url.hostname}:${port}`],
      environment,
      maxBytes: Infinity,
      timeoutMs: LONGEST_MS,
    });
  };
  return {
    send: async (to, { method = "GET", headers = {}, body, signal, keepEnd = false }) => {
      const way = await (outbound ??= open());
      const sent = way.fetch(to, {
        method,
        headers,
        ...(body && { body }),
        ...(signal && { signal }),
        maxBytes: keepEnd ? Infinity : LARGEST_BODY,
        redirect: "manual",
        rateLimits: "return",
      });
      const answer = await sent
        .catch((thrown: unknown) => explainUnresolved(thrown, to))
        .catch(explainPrivate);
      const bytes = () => (keepEnd ? readEnd(answer.stream) : answer.bytes().catch(explainSize));
      return { status: answer.status, headers: answer.headers, bytes };
    },
    close: async () => (await outbound)?.close(),
  };
}

/** The last `LARGEST_BODY` bytes or so, from the start of a line. */
async function readEnd(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  let isEnd = false;
  for await (const chunk of stream) {
    kept.push(chunk);
    bytes += chunk.length;
    for (let [first] = kept; first && bytes - first.length >= LARGEST_BODY; [first] = kept) {
      bytes -= first.length;
      kept.shift();
      isEnd = true;
    }
  }
  const end = Buffer.concat(kept);
  return isEnd ? Buffer.concat([Buffer.from(ONLY_END), end.subarray(end.indexOf("\n") + 1)]) : end;
}

/** Replaces words for somebody who may have misspelled the host: here, no caller has written it. */
function explainUnresolved(thrown: unknown, to: string): never {
  if (!(thrown instanceof Fault) || thrown.details?.["proxy"] !== undefined) throw thrown;
  if (!/^(ENOTFOUND|ENODATA|EAI_AGAIN)$/.test(String(codeOf(thrown.cause)))) throw thrown;
  const { hostname } = new URL(to);
  throw new Fault("unavailable", `${hostname} cannot be resolved: there is no network or no DNS here.`, {
    hint: "Try again later. If it stays so, the operator should check --host, --api-url and the proxy.",
    cause: thrown,
  });
}

/** Replaces the usual hint, which names an option of other servers. */
function explainPrivate(thrown: unknown): never {
  if (!(thrown instanceof Fault) || thrown.details?.["addressClass"] === undefined) throw thrown;
  const { code, message, details } = thrown;
  const hint =
    "Only the host of --host or --api-url may have a private address. A person can open it instead.";
  throw new Fault(code, message, { hint, details, cause: thrown });
}

/** Replaces the usual hint: here, the operator cannot raise the limit. */
function explainSize(thrown: unknown): never {
  if (!(thrown instanceof Fault) || thrown.code !== "too_large") throw thrown;
  const hint = "Ask for less at a time; a file of that size has to be cloned with git.";
  throw new Fault("too_large", thrown.message, { hint, cause: thrown });
}
