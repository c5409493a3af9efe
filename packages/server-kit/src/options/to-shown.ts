import { isObject } from "../text/json-value.ts";

/** What is not a URL may have been meant as one: all before the last `@` may be a password. */
const withoutUserInfo = (text: string): string =>
  text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, "$1[hidden]@");

/** What an operator gave, as a complaint about it may show it. */
export const toShown = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === "string") return withoutUserInfo(part);
    if (!isObject(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [withoutUserInfo(key), item]));
  });
