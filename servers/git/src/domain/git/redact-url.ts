/** User names and passwords in addresses, wherever they stand in a text. `git@host:` names an account, not a secret. */
const CREDENTIALS = /(\b[a-z][a-z0-9+.-]*:\/\/)(?!git@)[^\s/@'"<>]*@/gi;

/** Credentials never reach a result, a log or an error. */
export const redactUrls = (text: string): string => text.replace(CREDENTIALS, "$1***@");
