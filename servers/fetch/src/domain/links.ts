import { Fault } from "@suite/server-kit/domain";

import type { PageLink } from "./parsing/page-facts.ts";
import type { GetOptions, Web } from "./web.ts";

type LinkOptions = Pick<GetOptions, "signal" | "principal" | "isOneOfMany">;

export interface CheckedLink {
  readonly url: string;
  /** The text of the link. */
  readonly text: string;
  readonly outcome: "ok" | "broken" | "refused" | "unknown";
  readonly status?: number;
  readonly redirected_to?: string;
  readonly reason?: string;
}

/** Checks several links at a time, with HEAD first, and GET if a server does not support HEAD. */
export async function checkLinks(
  web: Web,
  links: readonly PageLink[],
  { onChecked, ...options }: LinkOptions & { readonly onChecked: (done: number) => void },
): Promise<readonly CheckedLink[]> {
  let done = 0;
  return mapBounded(links, async (link) => {
    const checked = await checkLink(web, link, { ...options, isOneOfMany: true });
    done += 1;
    onChecked(done);
    return checked;
  });
}

async function checkLink(web: Web, { url, text }: PageLink, options: LinkOptions): Promise<CheckedLink> {
  try {
    let page = await web.head(url, options);
    if (page.status === 405 || page.status === 501 || page.status === 403 || page.status === 404) {
      ({ page } = await web.get(url, options));
    }
    const { status, finalUrl, redirects } = page;
    const isUnknown = status === 401 || status === 403 || status >= 500;
    return {
      url,
      text,
      outcome: status < 400 ? "ok" : isUnknown ? "unknown" : "broken",
      status,
      ...(redirects.length > 0 && { redirected_to: finalUrl }),
    };
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    const isRefused = thrown.code === "permission_denied" || thrown.code === "invalid_input";
    // A failed proxy or an unavailable robots.txt does not mean that the link is broken.
    const { proxy, robots } = thrown.details ?? {};
    const isBroken =
      thrown.code === "not_found" ||
      (thrown.code === "unavailable" && proxy === undefined && robots === undefined);
    return {
      url,
      text,
      outcome: isRefused ? "refused" : isBroken ? "broken" : "unknown",
      reason: thrown.message,
    };
  }
}

const AT_ONCE = 8;

/** Maps items with limited concurrency, keeping their order. The first failure ends it. */
export async function mapBounded<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const runLane = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      results[index] = await work(items[index] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, runLane));
  return results;
}
