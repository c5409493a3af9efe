/** The token is no good, and the message says why in words for the client: never with anything out of the token. */
export class InvalidTokenError extends Error {
  override readonly name = "InvalidTokenError";
}

/** Whether a token is good cannot be told right now, which is never a reason to let anybody in. */
export class UnavailableError extends Error {
  override readonly name = "UnavailableError";
}
