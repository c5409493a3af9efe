export interface FetchInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Of a body that is too large, its end is wanted. */
  readonly keepEnd?: boolean;
  /** Whose token to take, where the URL does not say. */
  readonly owner?: string | undefined;
}

/** For GitHub's client, which wants a fetch function. */
export type OctokitFetch = (url: string, init: FetchInit) => Promise<Response>;

export interface SentAnswer {
  readonly status: number;
  /** Names are in small letters. */
  readonly headers: ReadonlyMap<string, string>;
  readonly bytes: () => Promise<Uint8Array>;
}

/** How requests leave the process. Redirects come back as they are. */
export type SendRequest = (url: string, init: FetchInit) => Promise<SentAnswer>;

/** What GitHub's client gives, and what it puts into its errors. */
export interface OctokitAnswer {
  readonly status: number;
  readonly data: unknown;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
}
