import { basename, extname } from "node:path";

import { MEMORY } from "./database-file.ts";

/** `name=FILE`, or a file that is called by its own name. */
export function splitName(given: string): { readonly name: string; readonly path: string } {
  const [, chosen, path = given] = /^([A-Za-z0-9_-]+)=(.+)$/.exec(given) ?? [];
  return { name: chosen ?? toName(path), path };
}

/** What can stand in a URI as it is. */
const toName = (path: string): string =>
  path === MEMORY ? "memory" : basename(path, extname(path)).replaceAll(/[^A-Za-z0-9_-]/g, "_") || "main";
