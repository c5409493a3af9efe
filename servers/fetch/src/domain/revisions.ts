import { createHash } from "node:crypto";

import { Fault } from "@suite/server-kit/domain";

import { mapBounded } from "./links.ts";
import type { WebPage } from "./page.ts";
import type { Web } from "./web.ts";

interface WatchedPage {
  readonly url: string;
  readonly host: string;
  readonly listeners: Set<() => void>;
  digest: string | undefined;
  /** While it is looked at. */
  look: AbortController | undefined;
}

const MOST_WATCHED = 100;

/** Asks after watched pages again and again, and reports those that changed. */
export class Revisions {
  readonly #web: Web;
  readonly #intervalMs: number;
  readonly #timeoutMs: number;
  readonly #watched = new Map<string, WatchedPage>();
  /** Hosts that are asked now. */
  readonly #busy = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  /** No page is waited for longer than the timeout. */
  constructor(web: Web, intervalMs: number, timeoutMs: number) {
    this.#web = web;
    this.#intervalMs = intervalMs;
    this.#timeoutMs = timeoutMs;
  }

  /** Returns how to stop. Throws where too many pages are watched already. */
  watch(url: string, changed: () => void): () => void {
    let watched = this.#watched.get(url);
    if (watched === undefined) {
      if (this.#watched.size >= MOST_WATCHED)
        throw new Fault("rate_limited", `${MOST_WATCHED} pages are watched already`, {
          hint: "Stop watching another page first.",
        });
      const { host } = new URL(url);
      watched = { url, host, listeners: new Set(), digest: undefined, look: undefined };
      this.#watched.set(url, watched);
      void this.#lookAt(host, ({ digest }) => digest === undefined);
    }
    const { listeners } = watched;
    listeners.add(changed);
    this.#timer ??= setInterval(() => void this.#lookAll(), this.#intervalMs).unref();
    return () => {
      listeners.delete(changed);
      if (listeners.size === 0) {
        this.#watched.delete(url);
        watched.look?.abort();
      }
      if (this.#watched.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  close(): void {
    clearInterval(this.#timer);
    for (const { look } of this.#watched.values()) look?.abort();
    this.#watched.clear();
  }

  async #lookAll(): Promise<void> {
    const hosts = new Set([...this.#watched.values()].map(({ host }) => host));
    await mapBounded([...hosts], (host) => this.#lookAt(host));
  }

  /** One page after the other, also those that come in meanwhile: the wait for a host's turn would count against their timeout. */
  async #lookAt(host: string, isDue: (watched: WatchedPage) => boolean = () => true): Promise<void> {
    if (this.#busy.has(host)) return;
    this.#busy.add(host);
    for (const watched of this.#watched.values())
      if (watched.host === host && isDue(watched)) await this.#look(watched);
    this.#busy.delete(host);
  }

  async #look(watched: WatchedPage): Promise<void> {
    const look = (watched.look = new AbortController());
    const timer = setTimeout(() => look.abort(), this.#timeoutMs);
    try {
      const { page } = await this.#web.get(watched.url, {
        signal: look.signal,
        // For everybody who subscribed, so it is nobody's own.
        principal: undefined,
        isRefreshing: true,
      });
      const digest = digestOf(page);
      const before = watched.digest;
      watched.digest = digest;
      if (before !== undefined && before !== digest) for (const changed of watched.listeners) changed();
    } catch {
      // Asked again next time; whoever reads the page learns what is wrong. If it was never seen, to see it will be a change.
      watched.digest ??= "";
    } finally {
      clearTimeout(timer);
      watched.look = undefined;
    }
  }
}

const digestOf = ({ status, body }: WebPage): string =>
  createHash("sha256").update(String(status)).update(body).digest("hex");
