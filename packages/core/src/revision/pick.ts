import type { Params } from "../jsonrpc/message.ts";

/** The members of `value` that have one of these names, in this order. */
export function pick(value: object, names: readonly string[]): Params {
  const picked: Record<string, unknown> = {};
  for (const name of names) {
    const member = (value as Params)[name];
    if (member !== undefined) picked[name] = member;
  }
  return picked;
}
