/**
 * User names and passwords in addresses within a text: everything up to the last "@" before the path. `git@host` names an
 * account, not a secret.
 */
const CREDENTIALS = /:\/\/(?!git@[^\s/@]*(?:[\s/]|$))[^\s/]*@/gi;

/** Credentials never reach a result, a log or an error. */
export const redactUrls = (text: string): string => text.replace(CREDENTIALS, "://***@");

/** For a text that is a single address, whose password may contain spaces. */
export const redactUrl = (url: string): string =>
  url.replace(/:\/\/(?!git@[^/@]*(?:\/|$))[^/]*@/i, "://***@");
