import type { ElementNode } from "@mdream/js";

import { decodeEntities } from "./entities.ts";

/** A slash stands between attributes like a space, but the parser keeps it in their names. */
export function splitNames(attributes: Record<string, string>): void {
  for (const name in attributes) {
    if (!name.includes("/")) continue;
    const parts = name.split("/");
    const last = parts.pop() ?? "";
    for (const part of parts) attributes[part] ??= "";
    attributes[last] ??= attributes[name] ?? "";
  }
}

/** Whether it is the place in a page that has this name. */
export const isNamed = ({ name, attributes: { id, name: own } }: ElementNode, wanted: string): boolean =>
  (id !== undefined && decodeEntities(id) === wanted) ||
  (name === "a" && own !== undefined && decodeEntities(own) === wanted);

/** Without controls and spaces, which browsers ignore in a scheme, it is relative or one that runs nothing. */
export function isHarmless(url: string | undefined): boolean {
  // No colon, and no entity that could be one: there is no scheme.
  if (url === undefined || !/[:&]/.test(url)) return true;
  const bare = decodeEntities(url).replaceAll(/[\0-\x20]/g, "");
  return !/^[a-z][a-z\d+.-]*:/i.test(bare) || /^(?:https?|mailto|tel|ftp):/i.test(bare);
}
