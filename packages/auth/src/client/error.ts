import {
  AuthorizationResponseError,
  OperationProcessingError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";

/** No token could be got, or none that the server takes. Neither message nor hint contains a secret. */
export class AuthorizationError extends Error {
  override readonly name = "AuthorizationError";
  /** What to do about it. */
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/**
 * What went wrong while `doing`, without the library's own error: its causes contain codes, tokens and answers.
 */
export function toAuthorizationError(thrown: unknown, doing: string): Error {
  if (thrown instanceof AuthorizationError) return thrown;
  if (thrown instanceof ResponseBodyError || thrown instanceof AuthorizationResponseError) {
    const said = [thrown.error, thrown.error_description].flatMap((text) => toPlain(text) ?? []).join(": ");
    return new AuthorizationError(
      `${doing} was refused${said === "" ? "" : `, in its own words "${said}"`}`,
      HINTS[thrown.error] ?? "Ask those who run the authorization server what it wants.",
    );
  }
  if (thrown instanceof WWWAuthenticateChallengeError) {
    return new AuthorizationError(`${doing} was refused with HTTP status ${thrown.status}`, WHO_WE_ARE);
  }
  if (thrown instanceof OperationProcessingError) {
    return new AuthorizationError(
      `${doing} was answered with something that OAuth does not allow: ${thrown.message}`,
      "Nothing was sent on. Report this to those who run the authorization server.",
    );
  }
  const { message, cause } = thrown as Error & { readonly cause?: { readonly code?: string } & Error };
  return new AuthorizationError(
    `${doing} did not work: ${cause?.code ?? cause?.message ?? message}`,
    "Check the network and the address, then try again.",
  );
}

const WHO_WE_ARE = "Check the client's id and its secret or key.";

const HINTS: { readonly [error: string]: string } = {
  access_denied:
    "The person, or a rule of the authorization server, said no. Log in again to be asked again.",
  invalid_client: WHO_WE_ARE,
  invalid_grant: "Log in again: what was shown has expired, was used already, or is not for this client.",
  invalid_scope: "Ask those who run the server which scopes this client may have.",
  invalid_target: "The authorization server does not know the MCP server: ask those who run them.",
  invalid_redirect_uri: "Register the redirect address with the authorization server, or use another.",
  unauthorized_client: "Ask those who run the authorization server to allow this client this way to a token.",
};

const LONGEST_WORDS = 200;

/** Others wrote it: without control characters, and short. */
export function toPlain(text: string | undefined): string | undefined {
  const plain = text?.replace(/[^\x20-\x7e]+/g, " ").slice(0, LONGEST_WORDS);
  return plain === "" ? undefined : plain;
}
