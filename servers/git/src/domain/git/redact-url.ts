/**
 * User names and passwords in addresses, wherever they stand in a text: up to the last "@" before the path. `git@host` names an
 * account, not a secret.
 */
const CREDENTIALS = /:\/\/(?!git@[^\s/@]*(?:[\s/]|$))[^\s/]*@/gi;

/** Credentials never reach a result, a log or an error. */
export const redactUrls = (text: string): string => text.replace(CREDENTIALS, "://***@");

/** Of text that is one address: a password may then have spaces in it, too. */
export const redactUrl = (url: string): string =>
  url.replace(/:\/\/(?!git@[^/@]*(?:\/|$))[^/]*@/i, "://***@");
