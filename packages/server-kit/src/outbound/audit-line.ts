/** One request with all its hops, for a log. The query is left out: it is where secrets are put. */
export interface AuditLine {
  readonly time: string;
  readonly method: string;
  /** Without query and fragment. Where redirects led is in `finalUrl`. */
  readonly url: string;
  readonly finalUrl?: string;
  readonly status?: number;
  /** "ok", or the code of the fault. */
  readonly outcome: string;
  /** Decoded. */
  readonly bytes: number;
  readonly durationMs: number;
  readonly redirects: number;
  /** Where the last connection went; through a proxy, that is the proxy's business. */
  readonly address?: string;
  readonly proxied?: true;
}

export const toAuditUrl = ({ origin, pathname }: URL): string => origin + pathname;
