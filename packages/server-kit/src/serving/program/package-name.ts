import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

import { isObject } from "../../domain/text/json-value.ts";

/** npm starts programs by links in `node_modules/.bin`. */
export function resolveLinks(script: string): string {
  try {
    return realpathSync(script);
  } catch {
    return script;
  }
}

/** A program is in `dist` of its package. */
export function readPackageName(script: string): string | undefined {
  try {
    const text = readFileSync(join(dirname(resolveLinks(script)), "../package.json"), "utf8");
    const manifest: unknown = JSON.parse(text);
    return isObject(manifest) && typeof manifest["name"] === "string" ? manifest["name"] : undefined;
  } catch {
    return undefined;
  }
}
