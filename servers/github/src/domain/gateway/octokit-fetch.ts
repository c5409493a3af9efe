export interface FetchInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Keep the end of a body that is too large. */
  readonly keepEnd?: boolean;
  /** Whose token to use if the URL does not name an owner. */
  readonly owner?: string | undefined;
}

/** The fetch function that Octokit takes. */
export type OctokitFetch = (url: string, init: FetchInit) => Promise<Response>;

export interface SentAnswer {
  readonly status: number;
  /** Names are in lowercase. */
  readonly headers: ReadonlyMap<string, string>;
  readonly bytes: () => Promise<Uint8Array>;
}

/** Sends a request over the network. Redirects are not followed. */
export type SendRequest = (url: string, init: FetchInit) => Promise<SentAnswer>;

/** Octokit's response, also attached to its errors. */
export interface OctokitAnswer {
  readonly status: number;
  readonly data: unknown;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
}
