/** The token is not valid. The message is for the client, and never contains anything from the token. */
export class InvalidTokenError extends Error {
  override readonly name = "InvalidTokenError";
}

/** The token cannot be checked right now, so it is not accepted. */
export class UnavailableError extends Error {
  override readonly name = "UnavailableError";
}
