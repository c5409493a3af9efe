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
  /** Set while the page is being checked. */
  look: AbortController | undefined;
}

const MOST_WATCHED = 100;

/** Polls watched pages, and reports changes. */
export class Revisions {
  readonly #web: Web;
  readonly #intervalMs: number;
  readonly #timeoutMs: number;
  readonly #watched = new Map<string, WatchedPage>();
  /** Hosts with a check in progress. */
  readonly #busy = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  /** `timeoutMs` is the limit for each page. */
  constructor(web: Web, intervalMs: number, timeoutMs: number) {
    this.#web = web;
    this.#intervalMs = intervalMs;
    this.#timeoutMs = timeoutMs;
  }

  /** Returns a function that stops watching. Throws if too many pages are watched already. */
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

  /** Checks a host's pages one at a time, including new ones: time spent waiting for the host would count against their timeout. */
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
        // Shared by all subscribers, so it has no owner.
        principal: undefined,
        isRefreshing: true,
      });
      const digest = digestOf(page);
      const before = watched.digest;
      watched.digest = digest;
      if (before !== undefined && before !== digest) for (const changed of watched.listeners) changed();
    } catch {
      // Checked again next time; reading the page reports the error. If it was never seen, its first success counts as a change.
      watched.digest ??= "";
    } finally {
      clearTimeout(timer);
      watched.look = undefined;
    }
  }
}

const digestOf = ({ status, body }: WebPage): string =>
  createHash("sha256").update(String(status)).update(body).digest("hex");
