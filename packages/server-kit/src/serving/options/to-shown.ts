import { isObject } from "../../domain/text/json-value.ts";

/** Even an invalid URL may contain a password: everything before the last `@` is hidden. */
const withoutUserInfo = (text: string): string =>
  text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, "$1[hidden]@");

/** A given value for an error message, without passwords. */
export const toShown = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === "string") return withoutUserInfo(part);
    if (!isObject(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [withoutUserInfo(key), item]));
  });
