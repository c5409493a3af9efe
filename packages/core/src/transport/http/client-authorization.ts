/** Shows a server who is calling, as it asks for it. For OAuth, `@suite/auth/client` makes one. */
export interface ClientAuthorization {
  /** Sends a request with the credentials at hand, if there are any. */
  send(url: string, init: RequestInit, fetch: typeof globalThis.fetch): Promise<Response>;
  /**
   * Gets what a refused request lacked, however long it takes a person to log in: time-outs wait for it, and `init.signal` ends
   * it. True if the request is worth repeating.
   */
  renew(refusal: Response, init: RequestInit): Promise<boolean>;
}

/** `renew` has failed. The request is answered with its reason as it stands: it says what to do. */
export class RenewalError extends Error {
  readonly reason: Error;

  constructor(reason: Error) {
    super(reason.message);
    this.reason = reason;
  }
}
