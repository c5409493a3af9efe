import { InvalidTokenError } from "./error.ts";

/** More than any token needs; nothing longer is worth reading. */
const LONGEST_TOKEN = 16_384;

/** What a token may consist of (RFC 6750, section 2.1). */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** The token of the one header it may come in; `absent` if the request carries no bearer token at all. */
export function readBearer(header: string | undefined): { readonly token: string } | "absent" | "malformed" {
  if (header === undefined || !/^bearer(\s|$)/i.test(header)) return "absent";
  const token = /^bearer +(\S+)\s*$/i.exec(header)?.[1];
  return token === undefined ? "malformed" : { token };
}

export function checkTokenForm(token: string): void {
  if (token.length > LONGEST_TOKEN || !TOKEN.test(token))
    throw new InvalidTokenError("The token is malformed");
}
